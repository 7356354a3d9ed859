import type { RateLabel } from '../../core/define/operation.ts'
import { createChanceRefusals, createSendRecord } from './sent-calls.ts'

/** Finds out how fast a label may go, from what its answers show. */
export interface RateFinder {
  /** A call starts, after it was held up or not; answers how long the next one has to wait. */
  started(nowMs: number, heldUp: boolean): number
  sent(nowMs: number): void
  /** Answers how long to rest, beside what the service asks for. */
  refused(sentAtMs: number, nowMs: number): number
}

export interface FinderOptions {
  /** What all rates here are counted by. */
  windowMs: number
  /** The calls of a window that the service is known to allow; undefined where they are to be learned. */
  cap: number | undefined
  /** Calls a window to begin with, where nothing was learned before. */
  first: number
  learned: number | undefined
  /** The share of what is learned that is left to others. */
  reserve: number
}

/** What is known of a label's rate. Refusals change it, and so do windows of full use without a refusal. */
interface Finding {
  /** The calls a window that were too many; infinite until some were. */
  limit: number
  /** The share of the limit that was given up after the last refusal. */
  backOff: number
  /** Windows of full use until the limit is reached again. */
  patience: number
  /** Windows of full use since the last refusal. */
  windows: number
  steppedMs: number
  /** Since a fall last helped. */
  refusals: number
  /** Those of them that no full window explains, and that came although the rate had fallen. */
  unhelped: number
  /** Calls that were sent meanwhile, and the most between two of them. */
  calls: number
  mostCalls: number
}

/**
 * Before the first refusal the rate grows by half in each window of full use. A refusal sets it below the
 * limit that was met. From there it rises as in TCP CUBIC (RFC 9438): fast at first, slowly near the limit,
 * and faster again past it, because the limit has moved then. The longer a limit held, the later it is tried
 * again. `save` stores, now and then, what the next process begins with.
 *
 * A service may refuse calls for another reason than their rate, such as every seventh one. Then a lower rate
 * does not help: calls are refused again soon, though not within the window that a limit would fill. If that
 * happens twice in a row, what the refusals took is given back, and as many of them cost nothing any more.
 */
export function createRateFinder(
  options: FinderOptions,
  save?: (callsPerSecond: number) => void,
): RateFinder {
  const { windowMs, cap } = options
  const record = createSendRecord(windowMs)
  let finding = firstFinding(options)
  const chance = createChanceRefusals()
  let restMs = 0
  let sent = 0
  let firstMs = 0
  let savedAtMs = Number.NEGATIVE_INFINITY
  const keep = (nowMs: number): void => {
    savedAtMs = nowMs
    const rate = rateOf(options, finding)
    const { limit } = finding
    save?.(((Number.isFinite(limit) ? Math.max(limit, rate) : rate) * 1000) / windowMs)
  }
  return {
    started(nowMs, heldUp) {
      if (heldUp && nowMs - finding.steppedMs >= windowMs)
        finding = { ...finding, windows: finding.windows + 1, steppedMs: nowMs }
      if (nowMs - savedAtMs >= SAVE_EVERY_MS) keep(nowMs)
      const rate = rateOf(options, finding)
      if (cap === undefined || rate < cap) return windowMs / rate
      // A known quota is paced by its permits. Spread a little, a change of what others take meets fewer
      // calls; minutes are not spread.
      return windowMs < LONG_WINDOW_MS ? (windowMs / rate) * SPREAD : 0
    },
    sent: (nowMs) => {
      if (sent++ === 0) firstMs = nowMs
      finding = { ...finding, calls: finding.calls + 1 }
      chance.sent()
      record.sent(nowMs)
    },
    refused(sentAtMs, nowMs) {
      const { expected, calls } = chance.refused()
      const passed = record.refused(sentAtMs, nowMs, expected)
      if (expected) return 0
      finding = { ...finding, refusals: finding.refusals + 1 }
      // Calls that were under way together are refused together, for one reason.
      if (passed === undefined) return restMs
      restMs = 0
      finding = counted(options, finding, calls)
      if (isChance(finding)) {
        chance.found(finding.refusals / finding.calls)
        finding = firstFinding({ ...options, learned: undefined })
        return restMs
      }
      const average = (sent * windowMs) / (nowMs - firstMs + windowMs)
      finding = fall(options, finding, { passed, average, nowMs })
      keep(nowMs)
      restMs = restOf(options, finding)
      return restMs
    },
  }
}

/**
 * Where calls are far apart, hardly any has left a sliding window when the service's own wait is over, and
 * the next would be refused as well.
 */
function restOf(options: FinderOptions, finding: Finding): number {
  const { windowMs } = options
  const rate = rateOf(options, finding)
  const spacings = rate <= floorOf(options) ? 1 : REST_SPACINGS
  return Math.min(windowMs / Math.min(1, rate), (spacings * windowMs) / rate)
}

/** Whether the last fall helped: for as long as it was to, or at least more calls passed than before it. */
function counted(options: FinderOptions, finding: Finding, calls: number): Finding {
  const { limit, windows, patience, mostCalls } = finding
  if (!Number.isFinite(limit) || windows >= patience / 2)
    return { ...finding, refusals: 0, unhelped: 0, calls: 0, mostCalls: 0 }
  const isSlow = rateOf(options, finding) <= floorOf(options) || windows >= SPREAD_WINDOWS
  const isUnhelped = isSlow && calls > 1 && calls <= mostCalls
  const unhelped = finding.unhelped + (isUnhelped ? 1 : 0)
  return { ...finding, unhelped, mostCalls: Math.max(mostCalls, calls) }
}

function isChance({ refusals, unhelped, calls }: Finding): boolean {
  return unhelped >= UNHELPED && refusals <= calls * MOST_SHARE
}

/** For a label whose quota is not known, beginning with what an earlier process learned. */
export function learningOptions(
  label: RateLabel,
  { learned, reserve }: { learned: number | undefined; reserve: number },
): FinderOptions {
  const perMinute = label === 'RESOURCE-INTENSIVE'
  const windowMs = perMinute ? 60_000 : 1_000
  return {
    windowMs,
    cap: undefined,
    first: perMinute ? SMALLEST_PER_MINUTE : SMALLEST_PER_SECOND,
    learned: learned === undefined ? undefined : (learned * windowMs) / 1000,
    reserve,
  }
}

/** For a known quota, which other apps may share. */
export function knownOptions(cap: number, windowMs: number): FinderOptions {
  return { windowMs, cap, first: cap, learned: undefined, reserve: 0 }
}

/** A known limit is one that was met. */
function firstFinding({ cap, learned }: FinderOptions): Finding {
  const never = Number.POSITIVE_INFINITY
  const limit = cap ?? learned
  if (limit === undefined) return { ...NOTHING_MET, limit: never, patience: never, windows: 0 }
  return { ...NOTHING_MET, limit, patience: PATIENCE, windows: cap ? PATIENCE : PATIENCE / 2 }
}

/** Calls a window. */
function rateOf(options: FinderOptions, finding: Finding): number {
  const { cap, first, reserve } = options
  const { limit, backOff, patience, windows } = finding
  const curve = 1 + backOff * ((windows - patience) / patience) ** 3
  const found = Number.isFinite(limit) ? limit * curve * (1 - reserve) : first * GROWTH ** windows
  return Math.min(cap ?? MOST, Math.max(floorOf(options), found))
}

/** A lower rate than this costs more than it saves. */
function floorOf({ windowMs }: FinderOptions): number {
  return (windowMs < LONG_WINDOW_MS ? SMALLEST_PER_SECOND : SMALLEST_PER_MINUTE) / 2
}

/** A limit that is met much sooner than expected was estimated too high, so the next step down is larger. */
function fall(
  options: FinderOptions,
  before: Finding,
  { passed, average, nowMs }: { passed: number; average: number; nowMs: number },
): Finding {
  const { windows, patience } = before
  const rate = rateOf(options, before)
  const limit = limitShown(before, { rate, passed, average })
  return {
    ...before,
    limit,
    backOff: windows < patience / 2 ? Math.min(MOST_BACK_OFF, before.backOff * 2) : BACK_OFF,
    patience: Math.max(PATIENCE, Math.min(windows * 2, PATIENCE_CALLS / limit)),
    windows: 0,
    steppedMs: nowMs,
  }
}

/**
 * The limit is estimated as the calls that passed in the last window, and at most the rate, because a full
 * bucket lets more through. If far fewer calls passed, the refusal has another reason: the estimate stays,
 * until far less than it is refused as well.
 * During the first growth a full bucket hides the limit. It then lies between the average since the start and
 * what passed last, and the geometric mean of the two is taken.
 */
function limitShown(
  { limit, backOff }: Finding,
  { rate, passed, average }: { rate: number; passed: number; average: number },
): number {
  const least = rate * LEAST_BELIEVED
  if (!Number.isFinite(limit))
    return Math.min(rate, Math.max(least, Math.sqrt((passed + 1) * average)))
  if (backOff >= MOST_BACK_OFF) return rate
  return passed + 1 < least ? limit : Math.min(rate, passed + 1)
}

/** The smallest quotas that are known: nothing has to fall below them at the start. */
const SMALLEST_PER_SECOND = 1
const SMALLEST_PER_MINUTE = 9.8
/** The most calls a window. */
const MOST = 500
/** A limit of any kind that refuses later than after so many windows is near: the next fall is below it. */
const SPREAD_WINDOWS = 3
const UNHELPED = 2
/** A service that refuses more than these has a limit, however low. */
const MOST_SHARE = 2 / 3
const GROWTH = 1.5
const BACK_OFF = 0.15
const MOST_BACK_OFF = 0.6
const LEAST_BELIEVED = 0.5
/** Windows until a limit is tried again: at least these, and at most as many as this many calls take. */
const PATIENCE = 20
const PATIENCE_CALLS = 2_000
const REST_SPACINGS = 10
const SAVE_EVERY_MS = 30_000
const NOTHING_MET = {
  backOff: BACK_OFF,
  steppedMs: 0,
  refusals: 0,
  unhelped: 0,
  calls: 0,
  mostCalls: 0,
}
const LONG_WINDOW_MS = 10_000
const SPREAD = 0.9
