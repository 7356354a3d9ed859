import type { OpenWarehouse } from '../../account/wire.ts'
import { wantsAnyFiles } from '../../config/archive-settings.ts'
import { evidenceKey } from '../../config/evidence-key.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { machineFacts, machineFaults } from '../ledger/machine-facts.ts'
import { forgetMachine, isSame, ownName, readMachines, recordMachine } from '../ledger/machines.ts'

/**
 * Refuses to start if other machines have different keys, another archive bucket, or other rows or columns of
 * an account. Returns a function that records this machine among those that share the work, until the signal.
 */
export async function joinMachines(
  { warehouse, wiring }: OpenWarehouse,
  signal: AbortSignal,
): Promise<{ keepJoined(): Promise<void> }> {
  const { clock, config, observer } = wiring
  // Creates the key now if it does not exist, so that it is compared with those of the other machines.
  if (wantsAnyFiles(config.archive)) evidenceKey(config)
  const facts = machineFacts(config)
  const name = ownName()
  const others = (await readMachines(warehouse.db)).filter((one) => !isSame(one, name))
  const faults = machineFaults({ ...facts, host: name.host }, others)
  for (const { severe, text, todo } of faults) {
    if (severe)
      throw new ConfigurationError('machines_differ', {
        tried: 'Sharing the work with the other machines',
        expected: 'the same keys and the same archive store on all machines',
        came: text,
        todo,
      })
    observer.event('machine warning', { reason: `${text}; ${todo}`, level: 'warn' })
  }
  await recordMachine(warehouse.db, name, facts)
  return {
    async keepJoined() {
      while (!signal.aborted) {
        await clock.sleep(EVERY_MS, signal).catch(() => {})
        // Ignores failures, because the jobs report an unavailable database too.
        if (!signal.aborted) await recordMachine(warehouse.db, name, facts).catch(() => {})
      }
      await forgetMachine(warehouse.db, name).catch(() => {})
    },
  }
}

const EVERY_MS = 60_000
