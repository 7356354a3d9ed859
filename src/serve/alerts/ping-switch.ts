import type { Cause } from '../../core/define/cause.ts'
import type { Observer } from '../../core/define/observer.ts'
import { CallsheetError } from '../../core/errors.ts'

export interface PingDeps {
  observer: Observer
  /** Rejects unless the switch accepted the ping. */
  ping(signal?: AbortSignal): Promise<void>
  signal?: AbortSignal
}

/** Pings the dead man's switch unless a cause is red. Only logs a failure, as the next check pings again. */
export async function pingSwitch(
  { observer, ping, signal }: PingDeps,
  causes: readonly Pick<Cause, 'level'>[],
): Promise<void> {
  if (causes.some(({ level }) => level === 'red')) return
  try {
    await ping(signal)
  } catch (error) {
    if (signal?.aborted === true) throw error
    const code = error instanceof CallsheetError ? error.code : 'unexpected'
    observer.event('ping failed', { level: 'warn', code })
  }
}
