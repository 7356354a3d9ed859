import { type Clock, systemClock } from '../../src/core/time/clock.ts'

/** A clock that a test advances. Answers of servers are awaited in real time. */
export interface NightClock extends Clock {
  /** Advances time from one wait to the next, each time nothing is running in the process or outside. */
  pass(ms: number, work: UnderWay): Promise<void>
  /** Suspends the machine: wall time passes, but no wait comes closer to its end. */
  suspend(ms: number): void
}

export interface UnderWay {
  settled(): boolean
  /** Called after the process has settled. */
  drained(): Promise<boolean>
}

interface Sleeper {
  atMs: number
  wake(): void
  /** True if it wakes only together with another sleeper: time never advances for it alone. */
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
        // A short pause within running work: it sleeps in real time, then advances the clock.
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
 * Detects if the dispatcher is resting, by alarms of the length of its rests. Without such an alarm it is
 * looking for due jobs, once it has rested.
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

/** The dispatcher's longest rest. It looks for due jobs after it, and finds none. */
const LONGEST_REST_MS = 15_000
/** The waits of watches and heartbeats between two checks. */
const LONG_WAITS_MS: ReadonlySet<number> = new Set([10_000, 30_000, 60_000, 300_000])
const CALM_LOOKS = 3
