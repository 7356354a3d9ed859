import type { RateLabel } from '../../core/declare/operation.ts'
import { createSendRecord } from './send-record.ts'
import type { RateWindow } from './window-places.ts'

/** Finds out how fast a label may go, from what its answers show. */
export interface RateFinder {
  /** A call starts, after it was held up or not; answers how long the next one has to wait. */
  started(nowMs: number, heldUp: boolean): number
  sent(nowMs: number): void
  /** Answers how long to rest. */
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
  headroom: number
}

/** What is known of a label's rate, moved by refusals and by windows without one. */
interface Finding {
  /** Calls a window. */
  rate: number
  /** The rate that was refused last, or was learned before; infinite until there is one. */
  ceiling: number
  /** Refusals one soon after the other. */
  inRow: number
  steppedMs: number
  fellMs: number
}

/**
 * Additive growth and multiplicative back-off. A refusal takes the rate below the one that was refused, and
 * further where the one before is not long ago. Each window of full use closes a part of the way back. Past
 * the rate that was refused the limit has moved, and the rate grows by a share. `save` is told every now and
 * then what the next process may begin with.
 */
export function createRateFinder(
  options: FinderOptions,
  save?: (callsPerSecond: number) => void,
): RateFinder {
  const { windowMs, cap } = options
  const record = createSendRecord(windowMs)
  let finding = firstFinding(options)
  let savedAtMs = Number.NEGATIVE_INFINITY
  const keep = (nowMs: number): void => {
    savedAtMs = nowMs
    const { rate, ceiling } = finding
    save?.(((Number.isFinite(ceiling) ? ceiling : rate) * 1000) / windowMs)
  }
  return {
    started(nowMs, heldUp) {
      if (heldUp && nowMs - finding.steppedMs >= windowMs) finding = step(options, finding, nowMs)
      if (nowMs - savedAtMs >= SAVE_EVERY_MS) keep(nowMs)
      const spacingMs = windowMs / finding.rate
      if (cap === undefined || finding.rate < cap) return spacingMs
      // What is known and all ours is paced by its places. Spread a little, a change of what others take
      // meets fewer calls; minutes are not spread.
      return windowMs < LONG_WINDOW_MS ? spacingMs * SPREAD : 0
    },
    sent: (nowMs) => record.sent(nowMs),
    refused(sentAtMs, nowMs) {
      const recent = record.refused(sentAtMs, nowMs)
      const restMs = restAfter(windowMs, windowMs / finding.rate)
      if (recent === undefined) return restMs
      finding = fall(options, finding, { recent, nowMs })
      keep(nowMs)
      return restMs
    },
  }
}

/**
 * Where calls are far apart, hardly any has left a sliding window when the service's own wait is over, and
 * the next would be refused as well. A quota of a minute may count by the clock's.
 */
function restAfter(windowMs: number, spacingMs: number): number {
  if (windowMs >= LONG_WINDOW_MS) return windowMs
  return Math.min(LONGEST_REST_MS, REST_SPACINGS * spacingMs)
}

/** For a label whose quota is not known, beginning with what an earlier process learned. */
export function learningOptions(
  label: RateLabel,
  { learned, headroom }: { learned: number | undefined; headroom: number },
): FinderOptions {
  const perMinute = label === 'RESOURCE-INTENSIVE'
  const windowMs = perMinute ? 60_000 : 1_000
  return {
    windowMs,
    cap: undefined,
    first: perMinute ? SMALLEST_PER_MINUTE : SMALLEST_PER_SECOND,
    learned: learned === undefined ? undefined : (learned * windowMs) / 1000,
    headroom,
  }
}

/** For a known quota, which other apps may share. */
export function knownOptions({ cap, intervalMs }: RateWindow): FinderOptions {
  return { windowMs: intervalMs, cap, first: cap, learned: undefined, headroom: 0 }
}

function firstFinding({ cap, first, learned, headroom }: FinderOptions): Finding {
  const from = { inRow: 0, steppedMs: 0, fellMs: Number.NEGATIVE_INFINITY }
  if (cap !== undefined) return { ...from, rate: cap, ceiling: cap }
  if (learned === undefined) return { ...from, rate: first, ceiling: Number.POSITIVE_INFINITY }
  return { ...from, rate: learned * BEGIN * (1 - headroom), ceiling: learned }
}

/** A window of full use in which nothing was refused. */
function step({ cap, headroom }: FinderOptions, before: Finding, nowMs: number): Finding {
  const { rate, ceiling } = before
  const finding = { ...before, steppedMs: nowMs }
  const most = cap ?? MOST
  if (ceiling === Number.POSITIVE_INFINITY)
    return { ...finding, rate: Math.min(most, rate * SEARCH) }
  const top = ceiling * (1 - headroom)
  if (rate < top) {
    const closer = Math.max(ceiling * LEAST_STEP, (top - rate) * CLOSER)
    return { ...finding, rate: Math.min(most, rate + closer) }
  }
  const higher = Math.min(most, ceiling * (headroom > 0 ? SLOWLY : HIGHER))
  return { ...finding, ceiling: higher, rate: Math.min(most, higher * (1 - headroom)) }
}

function fall(
  { windowMs, headroom }: FinderOptions,
  { rate, ceiling, inRow, fellMs }: Finding,
  { recent, nowMs }: { recent: number; nowMs: number },
): Finding {
  // On the way up from nothing the steps are large: what was let through says more than the rate. One refusal
  // may have other reasons, so it does not take more than this.
  const searching = ceiling === Number.POSITIVE_INFINITY
  const refused = searching ? Math.max(1, rate * MOST_OF_A_FALL, Math.min(rate, recent)) : rate
  const again = nowMs - fellMs < SOON_WINDOWS * windowMs ? inRow + 1 : 0
  const left = searching ? LEFT_OF_SEARCH : Math.max(LEAST_LEFT, LEFT - again * LESS_LEFT)
  return {
    rate: Math.max(LEAST_RATE, refused * left * (1 - headroom)),
    ceiling: Math.max(LEAST_RATE, refused),
    inRow: again,
    steppedMs: nowMs,
    fellMs: nowMs,
  }
}

/** The smallest quotas that are known: nothing has to fall below them at the start. */
const SMALLEST_PER_SECOND = 1
const SMALLEST_PER_MINUTE = 9.8
/** A bound for rates that nothing has refused. */
const MOST = 500
const LEAST_RATE = 0.1
const SAVE_EVERY_MS = 30_000
const LONG_WINDOW_MS = 10_000
const SPREAD = 0.9
const REST_SPACINGS = 3
const LONGEST_REST_MS = 1_000
const BEGIN = 0.95
const SEARCH = 1.5
const HIGHER = 1.05
/** Where a share is left to others, a limit that has moved is found in half an hour. */
const SLOWLY = 1.0005
const CLOSER = 0.04
const LEAST_STEP = 0.0012
const MOST_OF_A_FALL = 0.4
const SOON_WINDOWS = 10
/** A bucket that was full let through more than it fills. */
const LEFT_OF_SEARCH = 0.6
const LEFT = 0.85
const LESS_LEFT = 0.1
const LEAST_LEFT = 0.5
