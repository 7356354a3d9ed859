import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Ending } from '../../core/time/ending.ts'
import { endingOfError } from '../../sync/ending.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { beginTask, type DueTask, endTask, type TaskEnd } from '../ledger/task-runs.ts'

/** What an attempt came to, if it did not throw. */
export interface Attempted extends TaskEnd {
  ending: Ending
}

/**
 * Makes an attempt at a due task and records it, whatever comes of it. `detail` is what is kept of an attempt
 * that throws.
 */
export async function runTask(
  { warehouse, clock }: { warehouse: Warehouse; clock: Clock },
  due: DueTask & { detail?: object },
  attempt: () => Promise<Attempted>,
): Promise<Ending> {
  const id = await beginTask(warehouse, due)
  const end = await attempt().catch((error: unknown): Attempted => {
    const ending = endingOfError(error, clock.now())
    const text = error instanceof CallsheetError ? error.message : (error as Error).name
    return { state: 'failed', ending, detail: due.detail ?? {}, error: text }
  })
  await endTask(warehouse, id, end)
  return end.ending
}
