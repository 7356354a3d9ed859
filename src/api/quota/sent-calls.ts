import type { Quota } from '../../core/define/quota.ts'

/** A known quota: at most `cap` calls in any window of `intervalMs`. */
interface RateWindow {
  cap: number
  intervalMs: number
}

/** The slots of a window. Each takes one call, and is free again one window after the service received it. */
export interface WindowPermits {
  /** Milliseconds until a slot is free, or until it is worth checking again; 0 if one is free. */
  waitMs(nowMs: number): number
  /** Takes a free slot; if there is none, the slot that is free soonest. */
  take(nowMs: number): WindowPermit
}

export interface WindowPermit {
  sent(nowMs: number): void
  /** The service has answered, or the call failed. */
  answered(nowMs: number): void
  /** No call was sent. */
  giveBack(): void
}

/**
 * Calls of one slot arrive a window apart, so no window has more calls than slots. That satisfies fixed
 * windows, sliding windows and token buckets alike. We know when a call was sent and answered, but not when
 * it arrived. If an answer takes 50 ms longer than the quickest one, its call may have arrived 50 ms later,
 * so the slot stays taken 50 ms longer, but at most a tenth of the window. At least nine tenths of a quota
 * remain usable, even if the service delays every answer.
 */
export function createWindowPermits({ cap, intervalMs }: RateWindow): WindowPermits {
  const permits: Held[] = []
  const longestMs = Math.min(intervalMs / 10, LONGEST_LATENESS_MS)
  let quickestMs = Number.POSITIVE_INFINITY
  const freeAtMs = ({ sentAtMs, lateMs }: Held): number =>
    sentAtMs + intervalMs + CLOCK_STEP_MS + lateMs
  let next = 0
  // Stops at the first free slot, which usually follows the one taken last.
  const soonest = (nowMs: number): { at: number; freeMs: number } => {
    let best = { at: next, freeMs: Number.POSITIVE_INFINITY }
    for (let step = 0; step < cap; step++) {
      const at = (next + step) % cap
      const freeMs = freeAtMs(permits[at] ?? NEVER_HELD)
      if (freeMs < best.freeMs) best = { at, freeMs }
      if (freeMs <= nowMs) break
    }
    return best
  }
  return {
    waitMs: (nowMs) => Math.max(0, soonest(nowMs).freeMs - nowMs),
    take(nowMs) {
      const { at } = soonest(nowMs)
      next = (at + 1) % cap
      const before = permits[at] ?? NEVER_HELD
      const held: Held = { sentAtMs: nowMs, lateMs: longestMs }
      permits[at] = held
      return {
        sent: (atMs) => {
          held.sentAtMs = atMs
        },
        answered: (atMs) => {
          const tookMs = atMs - held.sentAtMs
          quickestMs = Math.min(quickestMs, tookMs)
          held.lateMs = Math.min(longestMs, tookMs - quickestMs + UNSURE_MS)
        },
        giveBack: () => {
          permits[at] = before
        },
      }
    },
  }
}

/** Combines several windows: a call takes one slot in each. */
export function permitsOfAll(windows: readonly WindowPermits[]): WindowPermits {
  const [only, ...more] = windows
  if (only !== undefined && more.length === 0) return only
  return {
    waitMs: (nowMs) => Math.max(0, ...windows.map((permits) => permits.waitMs(nowMs))),
    take(nowMs) {
      const taken = windows.map((permits) => permits.take(nowMs))
      return {
        sent: (atMs) => taken.forEach((inWindow) => inWindow.sent(atMs)),
        answered: (atMs) => taken.forEach((inWindow) => inWindow.answered(atMs)),
        giveBack: () => taken.forEach((inWindow) => inWindow.giveBack()),
      }
    },
  }
}

/**
 * Returns the windows of a quota, the lowest rate first; none if it has no rate. The reserve makes a window
 * longer instead of allowing fewer calls, because half of a quota of 1 would be none. A quota below one call
 * also makes the window longer.
 */
export function rateWindows({ perSecond, perMinute }: Quota, reserve: number): RateWindow[] {
  const named = [
    { calls: perSecond, perMs: 1_000 },
    { calls: perMinute, perMs: 60_000 },
  ]
  return named
    .flatMap(({ calls, perMs }) => (calls === undefined ? [] : [{ calls, perMs }]))
    .toSorted((a, b) => a.calls / a.perMs - b.calls / b.perMs)
    .map(({ calls, perMs }) => ({
      cap: Math.max(1, Math.floor(calls)),
      intervalMs: (perMs * Math.max(1, 1 / calls)) / (1 - reserve),
    }))
}

interface Held {
  sentAtMs: number
  /** How much longer the call's answer took than the quickest; the maximum until the answer arrives. */
  lateMs: number
}

/** Records the calls sent recently. When a call is refused, they show the current limit. */
interface SendRecord {
  sent(nowMs: number): void
  /**
   * Returns how many calls in the window before the refused call were not refused. Undefined if another
   * refusal came while the call was in flight: both count as one.
   */
  refused(sentAtMs: number, nowMs: number): number | undefined
}

export function createSendRecord(windowMs: number): SendRecord {
  const recent: number[] = []
  let knownAtMs = Number.NEGATIVE_INFINITY
  return {
    sent(nowMs) {
      recent.push(nowMs)
      while ((recent[0] ?? nowMs) < nowMs - 2 * windowMs) recent.shift()
    },
    refused(sentAtMs, nowMs) {
      const itself = recent.lastIndexOf(sentAtMs)
      if (itself >= 0) recent.splice(itself, 1)
      if (sentAtMs <= knownAtMs) return undefined
      knownAtMs = nowMs
      return recent.filter((at) => at <= sentAtMs && at > sentAtMs - windowMs).length
    },
  }
}

const NEVER_HELD: Readonly<Held> = { sentAtMs: Number.NEGATIVE_INFINITY, lateMs: 0 }
const LONGEST_LATENESS_MS = 2_000
/** A margin, because later answers may be quicker than the quickest so far. */
const UNSURE_MS = 10
/** A margin, because the service's clock may count in milliseconds, and ours may run a little faster. */
const CLOCK_STEP_MS = 1
