import type { RateLabel } from '../../core/define/operation.ts'
import { createSendRecord } from './sent-calls.ts'

/** Learns how fast a label's calls may go, from its answers. */
export interface RateFinder {
  /** Notes that a call starts, and if it had to wait. Returns the milliseconds until the next may start. */
  started(nowMs: number, heldUp: boolean): number
  sent(nowMs: number): void
  /** Returns the milliseconds to pause, in addition to the wait that the service requests. */
  refused(sentAtMs: number, nowMs: number): number
}

export interface FinderOptions {
  /** All rates here count the calls in this period. */
  windowMs: number
  /** The service's known limit of calls per window; undefined if it must be learned. */
  cap: number | undefined
  /** The initial calls per window, if nothing was learned before. */
  first: number
  learned: number | undefined
  /** The share of the learned rate that is reserved for other apps. */
  reserve: number
}

/** The state of a label's rate. It changes on each refusal, and after each window whose calls had to wait. */
interface Finding {
  /** The calls per window at which the service refused one, or a known or learned limit; else infinite. */
  limit: number
  /** By which share of the limit the rate fell after the last refusal. */
  backOff: number
  /** How many fully used windows the rate takes to climb back to the limit. */
  patience: number
  /** Fully used windows since the last refusal. */
  windows: number
  steppedMs: number
}

/**
 * Without any limit the rate grows by half in each fully used window. A refusal shows a limit and sets
 * the rate below it. Then the rate rises as in TCP CUBIC (RFC 9438): fast at first, slowly near the limit,
 * and faster again beyond, because the limit must have moved. The longer no refusal comes, the later the
 * limit is tried again. `save` gets the calls per second with which the next process begins, at most every
 * `SAVE_EVERY_MS` and after each fall.
 */
export function createRateFinder(
  options: FinderOptions,
  save?: (callsPerSecond: number) => void,
): RateFinder {
  const { windowMs, cap } = options
  const record = createSendRecord(windowMs)
  let finding = firstFinding(options)
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
      // Permits enforce a known quota. Within it, calls are spread a little, so that fewer are refused when
      // other apps use more; in windows of a minute they are not spread.
      return windowMs < LONG_WINDOW_MS ? (windowMs / rate) * SPREAD : 0
    },
    sent: (nowMs) => {
      if (sent++ === 0) firstMs = nowMs
      record.sent(nowMs)
    },
    refused(sentAtMs, nowMs) {
      const passed = record.refused(sentAtMs, nowMs)
      // Undefined if the call was in flight at an earlier refusal: both have one cause, so the rate stays.
      if (passed === undefined) return restMs
      const average = (sent * windowMs) / (nowMs - firstMs + windowMs)
      finding = fall(options, finding, { passed, average, nowMs })
      keep(nowMs)
      restMs = restOf(options, finding)
      return restMs
    },
  }
}

/**
 * How long to pause beyond the service's own wait. At a low rate, the sliding window still contains nearly
 * all calls when that wait ends, so the next call would be refused as well.
 */
function restOf(options: FinderOptions, finding: Finding): number {
  const { windowMs } = options
  const rate = rateOf(options, finding)
  const spacings = rate <= floorOf(options) ? 1 : REST_SPACINGS
  return Math.min(windowMs / Math.min(1, rate), (spacings * windowMs) / rate)
}

/** Options for a label with an unknown quota; starts with the rate that an earlier process learned. */
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

/** Options for a known quota, which other apps may also use. */
export function knownOptions(cap: number, windowMs: number): FinderOptions {
  return { windowMs, cap, first: cap, learned: undefined, reserve: 0 }
}

/** A known or learned limit is treated as if a refusal had shown it. */
function firstFinding({ cap, learned }: FinderOptions): Finding {
  const never = Number.POSITIVE_INFINITY
  const limit = cap ?? learned
  if (limit === undefined) return { ...NOTHING_MET, limit: never, patience: never }
  return { ...NOTHING_MET, limit, patience: PATIENCE, windows: cap ? PATIENCE : PATIENCE / 2 }
}

/** Calls per window. */
function rateOf(options: FinderOptions, finding: Finding): number {
  const { cap, first, reserve } = options
  const { limit, backOff, patience, windows } = finding
  const curve = 1 + backOff * ((windows - patience) / patience) ** 3
  const found = Number.isFinite(limit) ? limit * curve * (1 - reserve) : first * GROWTH ** windows
  return Math.min(cap ?? MOST, Math.max(floorOf(options), found))
}

/** The lowest rate: below it, waiting costs more than refusals. */
function floorOf({ windowMs }: FinderOptions): number {
  return (windowMs < LONG_WINDOW_MS ? SMALLEST_PER_SECOND : SMALLEST_PER_MINUTE) / 2
}

/** Lowers the rate, and by more if the refusal came early: then the limit was estimated too high. */
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
 * Estimates the limit as the calls that passed in the last window, but at most the rate, because a full token
 * bucket lets more through. If less than half the rate passed, the refusal has another reason: the estimate
 * stays, until a far lower rate is refused as well. During the first growth a full bucket hides the limit:
 * it lies between the average since the start and the calls that passed last. Their geometric mean is used.
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

/** The smallest known quotas, as initial rates. */
const SMALLEST_PER_SECOND = 1
const SMALLEST_PER_MINUTE = 9.8
/** The maximum rate that is learned, in calls per window. */
const MOST = 500
const GROWTH = 1.5
const BACK_OFF = 0.15
const MOST_BACK_OFF = 0.6
const LEAST_BELIEVED = 0.5
/**
 * Windows until a limit is tried again: at least PATIENCE, and at most as many as PATIENCE_CALLS calls take.
 */
const PATIENCE = 20
const PATIENCE_CALLS = 2_000
const REST_SPACINGS = 10
const SAVE_EVERY_MS = 30_000
const NOTHING_MET = { backOff: BACK_OFF, steppedMs: 0, windows: 0 }
const LONG_WINDOW_MS = 10_000
const SPREAD = 0.9
