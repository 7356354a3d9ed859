import type { Quota } from '../../core/define/quota.ts'

/** A known quota: so many calls in any window of this length. */
export interface RateWindow {
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
  /** Refused: the places may be free too soon. */
  refused(): void
  /** No call was sent. */
  giveBack(): void
}

/**
 * Calls of one place arrive a window apart, so that no window holds more calls than there are places, which
 * satisfies fixed windows, sliding ones and token buckets alike. When a call arrived is not known, only when
 * it was sent and answered. One that was answered later than the quickest may have arrived later by as much,
 * so it keeps its place for as much longer: a margin of its own, and none where nothing jitters.
 */
export function createWindowPermits({ cap, intervalMs }: RateWindow): WindowPermits {
  const permits: Held[] = []
  const longestMs = Math.min(intervalMs / 4, LONGEST_LATENESS_MS)
  const lateness = createLateness()
  const freeAtMs = ({ sentAtMs, lateMs }: Held, nowMs: number): number => {
    const atMs = sentAtMs + intervalMs + CLOCK_STEP_MS
    if (lateMs !== undefined) return atMs + lateMs
    // How late a call without an answer arrived is not known yet, so it is looked at again shortly.
    return atMs > nowMs ? atMs : Math.min(atMs + longestMs, nowMs + LOOK_AGAIN_MS)
  }
  let next = 0
  // The first free one is as good as any, and lies mostly after the one that was taken last.
  const soonest = (nowMs: number): { at: number; freeMs: number } => {
    let best = { at: next, freeMs: Number.POSITIVE_INFINITY }
    for (let step = 0; step < cap; step++) {
      const at = (next + step) % cap
      const freeMs = freeAtMs(permits[at] ?? NEVER_HELD, nowMs)
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
      const held: Held = { sentAtMs: nowMs, lateMs: undefined }
      permits[at] = held
      return {
        sent: (atMs) => {
          held.sentAtMs = atMs
        },
        answered: (atMs) => {
          held.lateMs = Math.min(longestMs, lateness.of(atMs - held.sentAtMs))
        },
        refused: lateness.widen,
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
        refused: () => taken.forEach((inWindow) => inWindow.refused()),
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
  /** How much later than the quickest its answer came; undefined until it has come. */
  lateMs: number | undefined
}

/**
 * How late an answer is. What the service itself takes to answer varies far more than the way to it does, and
 * holding places for all of that would waste them. So lateness counts up to a bound, which rises for a while
 * when a call is refused. What is beyond counts where it is rare: "usual" rises until it costs little.
 */
function createLateness() {
  let quickestMs = Number.POSITIVE_INFINITY
  let usualMs = 0
  let answers = 0
  let wideMs = 0
  return {
    widen: () => {
      wideMs = Math.min(WIDEST_MS, wideMs + WIDEN_MS)
    },
    of(tookMs: number): number {
      answers++
      wideMs *= NARROW
      if (answers === 1) usualMs = tookMs
      quickestMs = Math.min(quickestMs, tookMs)
      const beyondMs = Math.max(0, tookMs - usualMs)
      usualMs += FOLLOW * (Math.min(beyondMs, FAR_OUT * SPARE_MS) - SPARE_MS)
      usualMs = Math.max(usualMs, quickestMs)
      const bound = JITTER_MS + wideMs
      const unsureMs = Math.min(UNSURE_MS, usualMs - quickestMs)
      const lateMs = tookMs - quickestMs + unsureMs
      const boundedMs = answers <= UNSURE_ANSWERS ? bound : Math.min(bound, lateMs)
      return Math.max(boundedMs, beyondMs)
    },
  }
}

const NEVER_HELD: Readonly<Held> = { sentAtMs: Number.NEGATIVE_INFINITY, lateMs: 0 }
/** What a quota of 98 % can spare, and what ways through a network vary by. */
const JITTER_MS = 15
const SPARE_MS = 1
const LONGEST_LATENESS_MS = 2_000
const LOOK_AGAIN_MS = 20
/** The service's clock may count in milliseconds, and ours may run a little faster. */
const CLOCK_STEP_MS = 1
const FOLLOW = 0.05
const FAR_OUT = 10
/** The first answers cannot say what is quick. */
const UNSURE_ANSWERS = 100
/** The very quickest has hardly been seen. */
const UNSURE_MS = 6
const WIDEN_MS = 5
const WIDEST_MS = 30
const NARROW = 0.9995
