import { systemClock } from './clock.ts'

/** Waits for the end that a signal asks for; a process that waits for signals alone would end at once. */
export async function untilStopped(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await systemClock.sleep(3_600_000, signal).catch(() => {})
}
