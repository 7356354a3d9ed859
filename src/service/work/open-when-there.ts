import {
  type MigrateMode,
  type OpenWarehouse,
  openWarehouse,
  type Wiring,
} from '../../account/wire.ts'
import type { CallsheetError } from '../../core/errors.ts'
import { isDatabaseAway } from '../../warehouse/database-errors.ts'

/**
 * Opens the warehouse, and waits for its database while that cannot be reached or is starting: a machine
 * starts both at once. Any other fault rejects, because waiting does not mend it; so does the signal.
 */
export async function openWhenThere(
  wiring: Wiring,
  { mode, onAway }: { mode: MigrateMode; onAway?: (error: CallsheetError) => void },
  signal: AbortSignal,
): Promise<OpenWarehouse> {
  const { clock, observer } = wiring
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    try {
      return await openWarehouse(wiring, mode)
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
