import type { Quota } from '../../core/define/quota.ts'

/** A known quota: so many calls in any window of this length. */
interface RateWindow {
  cap: number
  intervalMs: number
}

/** The places of a window: one call each, free again a window after its call arrived at the service. */
export interface WindowPermits {
  /** Milliseconds until a place is free, or until it is worth looking again; 0 when one is. */
  waitMs(nowMs: number): number
  /** Takes a free place, or the one that is free soonest. */
  take(nowMs: number): WindowPermit
}

export interface WindowPermit {
  sent(nowMs: number): void
  /** The service has answered, or never will. */
  answered(nowMs: number): void
  /** No call was sent. */
  giveBack(): void
}

/**
 * Calls of one place arrive a window apart, so that no window holds more calls than there are places, which
 * satisfies fixed windows, sliding ones and token buckets alike. When a call arrived is not known, only when
 * it was sent and answered. One that was answered later than the quickest may have arrived later by as much,
 * so it keeps its place for as much longer, up to a tenth of the window: that leaves nine tenths of a quota
 * to be used even where the service's own work makes every answer late.
 */
export function createWindowPermits({ cap, intervalMs }: RateWindow): WindowPermits {
  const permits: Held[] = []
  const longestMs = Math.min(intervalMs / 10, LONGEST_LATENESS_MS)
  let quickestMs = Number.POSITIVE_INFINITY
  const freeAtMs = ({ sentAtMs, lateMs }: Held): number =>
    sentAtMs + intervalMs + CLOCK_STEP_MS + lateMs
  let next = 0
  // The first free one is as good as any, and lies mostly after the one that was taken last.
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

/** A place in each of several windows at once. */
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
 * The windows that a quota names, the one with the smaller rate first; none where it names no rate. The
 * reserve stretches the window rather than lessening the calls: a quota of 1 has no half. So does the
 * fraction of a call, in a quota of less than one.
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
  /** How much later than the quickest its answer came; the most that is waited for, until it has come. */
  lateMs: number
}

/** What was sent lately: it says what a limit is at the moment when a call is refused. */
interface SendRecord {
  sent(nowMs: number): void
  /**
   * The calls of the window before that were not refused. Undefined for a call that was under way when an
   * earlier one was refused: the two are one refusal. One that was expected is no refusal for the others.
   */
  refused(sentAtMs: number, nowMs: number, expected?: boolean): number | undefined
}

export function createSendRecord(windowMs: number): SendRecord {
  const recent: number[] = []
  let knownAtMs = Number.NEGATIVE_INFINITY
  return {
    sent(nowMs) {
      recent.push(nowMs)
      while ((recent[0] ?? nowMs) < nowMs - 2 * windowMs) recent.shift()
    },
    refused(sentAtMs, nowMs, expected = false) {
      const itself = recent.lastIndexOf(sentAtMs)
      if (itself >= 0) recent.splice(itself, 1)
      if (expected || sentAtMs <= knownAtMs) return undefined
      knownAtMs = nowMs
      return recent.filter((at) => at <= sentAtMs && at > sentAtMs - windowMs).length
    },
  }
}

/** Refusals that come whatever the rate is. They are calls to repeat, and no reason to go slower. */
interface ChanceRefusals {
  sent(): void
  /** One more came: whether it is one of these, and how many calls were sent since the last refusal. */
  refused(): { expected: boolean; calls: number }
  /** Sets the share of calls that the service refuses at random, whatever the rate. */
  found(share: number): void
}

export function createChanceRefusals(): ChanceRefusals {
  let share = 0
  /** How many more refusals may follow before they count against the rate. */
  let credit = 0
  let calls = 0
  return {
    sent() {
      calls++
      if (share * calls > FORGOTTEN) share = credit = 0
      credit = Math.min(MOST_CREDIT, credit + Math.min(MOST_EARNED, share * EARNED))
    },
    refused() {
      const expected = credit >= 1
      if (expected) credit--
      const since = calls
      calls = 0
      return { expected, calls: since }
    },
    found(ofAll) {
      share = ofAll
      credit = MOST_CREDIT
    },
  }
}

const NEVER_HELD: Readonly<Held> = { sentAtMs: Number.NEGATIVE_INFINITY, lateMs: 0 }
const LONGEST_LATENESS_MS = 2_000
/** The quickest so far is hardly the quickest there is. */
const UNSURE_MS = 10
/** The service's clock may count in milliseconds, and ours may run a little faster. */
const CLOCK_STEP_MS = 1

/** A share is an estimate by few refusals: it may be larger, and some come sooner than on average. */
const EARNED = 1.5
/** If more than these are refused, a limit is at work as well. */
const MOST_EARNED = 0.7
const MOST_CREDIT = 4
/** In times of the calls that came between two refusals. */
const FORGOTTEN = 10
