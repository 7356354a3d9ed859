import { hostname } from 'node:os'
import type { OpenWarehouse } from '../../account/wire.ts'
import { machineFacts, machineFaults } from '../../serve/ledger/machine-facts.ts'
import { readMachines } from '../../serve/ledger/machines.ts'
import type { Finding } from './findings.ts'

/** Compares this machine's shared settings with those of the active machines, if there are any. */
export async function examineMachines({ warehouse, wiring }: OpenWarehouse): Promise<Finding[]> {
  const machines = await readMachines(warehouse.db)
  if (machines.length === 0) return []
  const own = { ...machineFacts(wiring.config), host: hostname() }
  const faults = machineFaults(own, machines)
  const hosts = new Set(machines.map(({ host }) => host))
  if (faults.length === 0)
    return [
      {
        check: CHECK,
        state: 'ok',
        text: `${hosts.size} share the work, with the same keys and store`,
      },
    ]
  return faults.map(({ severe, text, todo }) => ({
    check: CHECK,
    state: severe ? 'failed' : 'warning',
    text,
    todo,
  }))
}

const CHECK = 'machines'
