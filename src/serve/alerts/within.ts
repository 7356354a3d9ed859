import type { Clock } from '../../core/time/clock.ts'
import { whenAborted } from '../../core/waiting.ts'

/** How long something may take, and who may stop it. */
export interface Patience {
  clock: Clock
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/**
 * Does work that must end in time. The work's own signal aborts when the time is over or when the caller's
 * signal does. The promise then rejects at once, with what `late` makes or with the caller's reason.
 */
export async function withinTime<T>(
  { clock, timeoutMs, signal }: Patience,
  late: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const stop = new AbortController()
  const inTime = clock.alarm(timeoutMs, () => stop.abort(late()))
  const unheard = whenAborted(signal, () => stop.abort(signal?.reason))
  try {
    return await new Promise<T>((resolve, reject) => {
      whenAborted(stop.signal, () => reject(stop.signal.reason as Error))
      work(stop.signal).then(resolve, reject)
    })
  } finally {
    inTime()
    unheard()
  }
}
