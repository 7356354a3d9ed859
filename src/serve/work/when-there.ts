import type { Observer } from '../../core/define/observer.ts'
import type { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { isDatabaseAway } from '../../warehouse/database-errors.ts'

export interface WaitingFor {
  clock: Clock
  observer: Observer
  signal: AbortSignal
  onAway?(error: CallsheetError): void
}

/**
 * Opens something in the database, and waits while that cannot be reached or is starting: a machine starts
 * both at once. Any other fault rejects, because waiting does not mend it; so does the signal.
 */
export async function whenThere<T>(
  { clock, observer, signal, onAway }: WaitingFor,
  open: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    try {
      return await open()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      onAway?.(error)
      const seconds = PAUSES_S[tries - 1] ?? LONGEST_PAUSE_S
      const facts = { code: error.code, error: error.message, tries, seconds }
      observer.event('waiting for the database', { ...facts, level: 'warn' })
      await clock.sleep(seconds * 1000, signal)
    }
  }
}

const PAUSES_S = [1, 2, 5, 10]
const LONGEST_PAUSE_S = 30
