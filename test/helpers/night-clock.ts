import { type Clock, systemClock } from '../../src/core/time/clock.ts'

/** A clock that a test moves. Answers of servers are waited for in real time. */
export interface NightClock extends Clock {
  /** Lets time pass from one wait to the next, whenever nothing is under way in the process or outside it. */
  pass(ms: number, work: UnderWay): Promise<void>
  /** The machine sleeps: wall time goes on, and no wait comes nearer to its end. */
  suspend(ms: number): void
}

export interface UnderWay {
  settled(): boolean
  /** Asked once the process has settled. */
  drained(): Promise<boolean>
}

interface Sleeper {
  atMs: number
  wake(): void
  /** It wakes with the next of the others: time does not stop for it alone. */
  isIdle: boolean
}

export function nightClock(startMs: number, onMove: (nowMs: number) => Promise<void>): NightClock {
  let elapsedMs = 0
  let suspendedMs = 0
  const sleepers = new Set<Sleeper>()
  const add = (ms: number, wake: () => void, isIdle = false): (() => void) => {
    const sleeper: Sleeper = { atMs: elapsedMs + Math.max(0, ms), wake, isIdle }
    sleepers.add(sleeper)
    return () => sleepers.delete(sleeper)
  }
  const now = () => Math.round(startMs + suspendedMs + elapsedMs)
  const quiet = async ({ settled, drained }: UnderWay): Promise<void> => {
    for (let calm = 0; calm < CALM_LOOKS; ) {
      await systemClock.sleep(2)
      for (const sleeper of [...sleepers].filter(({ atMs }) => atMs <= elapsedMs)) {
        sleepers.delete(sleeper)
        sleeper.wake()
        calm = 0
      }
      calm = settled() ? calm + 1 : 0
      if (calm === CALM_LOOKS && !(await drained())) calm = 0
    }
  }
  return {
    now,
    elapsed: () => elapsedMs,
    alarm: (ms, ring) => add(ms, ring, ms === LONGEST_REST_MS),
    async sleep(ms, signal) {
      if (!LONG_WAITS_MS.has(ms)) {
        // A pause within the work: it is real and short, and time has passed after it.
        const untilMs = elapsedMs + ms
        await systemClock.sleep(Math.min(ms, 5), signal)
        elapsedMs = Math.max(elapsedMs, untilMs)
        return await onMove(now())
      }
      await new Promise<void>((resolve, reject) => {
        signal?.throwIfAborted()
        const remove = add(ms, resolve)
        signal?.addEventListener('abort', () => {
          remove()
          reject(signal.reason as Error)
        })
      })
    },
    suspend: (ms) => void (suspendedMs += ms),
    async pass(ms, work) {
      const untilMs = elapsedMs + ms
      for (;;) {
        await quiet(work)
        const awaited = [...sleepers].filter(({ isIdle }) => !isIdle)
        const nextMs = Math.min(untilMs, ...awaited.map(({ atMs }) => atMs))
        elapsedMs = Math.max(elapsedMs, nextMs)
        await onMove(now())
        if (elapsedMs >= untilMs) break
      }
      await quiet(work)
    },
  }
}

/**
 * Counts the alarms of the length of the dispatcher's rests: without one it looks for what is due, once it
 * has rested.
 */
export function dispatcherRests({ alarm }: Clock): { alarm: Clock['alarm']; isAtRest(): boolean } {
  const rests = new Set<object>()
  let hasRested = false
  return {
    isAtRest: () => rests.size > 0 || !hasRested,
    alarm(ms, ring) {
      if (ms > LONGEST_REST_MS) return alarm(ms, ring)
      const rest = {}
      rests.add(rest)
      hasRested = true
      const cancel = alarm(ms, () => {
        rests.delete(rest)
        ring()
      })
      return () => {
        rests.delete(rest)
        cancel()
      }
    },
  }
}

/** Of the dispatcher: a rest of this length ends with a look, and nothing is due by then. */
const LONGEST_REST_MS = 15_000
/** Of the watches and heartbeats, which wait for the next time to look. */
const LONG_WAITS_MS: ReadonlySet<number> = new Set([10_000, 30_000, 60_000, 300_000])
const CALM_LOOKS = 3
