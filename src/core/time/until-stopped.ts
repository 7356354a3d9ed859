import { systemClock } from './clock.ts'

/** Waits until the signal aborts. The timer keeps the process alive, which otherwise would exit at once. */
export async function untilStopped(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await systemClock.sleep(3_600_000, signal).catch(() => {})
}
