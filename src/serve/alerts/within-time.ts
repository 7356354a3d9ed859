import type { Clock } from '../../core/time/clock.ts'
import { whenAborted } from '../../core/waiting.ts'

export interface Patience {
  clock: Clock
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/**
 * Runs work with a timeout. At the timeout, or if the caller's signal aborts, the work's signal aborts and
 * the promise rejects at once, with the error of `late` or the caller's reason.
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
