import type { OpenWarehouse } from '../../account/wire.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { dispatchByQueue } from '../queue/dispatch-by-queue.ts'
import { openQueue } from '../queue/queue.ts'
import { dispatcherDeps } from './due-work.ts'
import { joinMachines } from './join-machines.ts'
import { syncedWorks } from './parts.ts'
import type { Service, ServiceDeps } from './run-service.ts'
import { watchHealth } from './watch-health.ts'
import { whenThere } from './when-there.ts'

/**
 * Does the jobs, reports and tasks that are due until the signal comes, one at a time for an account on all
 * machines together. The machines take turns to judge the health of all.
 */
export async function shareWork(
  deps: ServiceDeps,
  service: Service,
  started: () => void,
): Promise<void> {
  const { signal } = deps
  const { opened, parts, vitals } = service
  const { wiring } = opened
  const { accounts, works } = parts
  const watched = { accounts, works: syncedWorks(parts), awake: vitals.awake }
  // Its connections are for the queue alone, so that no job keeps a heartbeat waiting.
  const warehouse = opened.warehouse.withPatience(PATIENCE_MS)
  try {
    const { queue, keepJoined } = await whenThere({ ...wiring, signal }, () =>
      join(opened, warehouse, signal),
    )
    try {
      started()
      await Promise.all([
        dispatchByQueue(dispatcherDeps(deps, service, queue), works, signal),
        watchHealth(opened, watched, signal),
        keepJoined(),
      ])
    } finally {
      await queue.close()
    }
  } finally {
    await warehouse.close()
  }
}

async function join(opened: OpenWarehouse, warehouse: Warehouse, signal: AbortSignal) {
  const queue = await openQueue({ warehouse, observer: opened.wiring.observer })
  try {
    return { queue, ...(await joinMachines(opened, signal)) }
  } catch (error) {
    await queue.close()
    throw error
  }
}

/** The longest that a statement of the queue may take. */
const PATIENCE_MS = 60_000
