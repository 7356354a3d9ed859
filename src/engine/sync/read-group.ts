import { loadFingerprints } from '../../warehouse/load/fingerprints.ts'
import type { PlannedGroup } from '../plan/plan-stream.ts'
import { retryDatabase } from '../run/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'
import type { SliceReading } from '../run/slice-reading.ts'
import { batchWriter } from './batch-writer.ts'
import { type GroupRead, readSlices } from './read-slices.ts'
import type { TimelessRows } from './timeless-rows.ts'

/**
 * Reads all slices of a group; what they did not show is still to be checked. If the run cannot go on, the
 * group says so, once everything that was received is written.
 */
export async function readGroup(
  run: RunContext,
  group: PlannedGroup,
  timeless?: TimelessRows,
): Promise<GroupRead> {
  const { stream, owned } = group
  const table = await retryDatabase(run, () =>
    loadFingerprints(run.warehouse, { account: run.account, stream, owned }),
  )
  run.tables.add(stream, table)
  const writer = batchWriter(run, stream)
  const groupRead: GroupRead = { group, table, writer, timeless, readings: [] }
  await readSlices(run, groupRead).catch((error: unknown) => {
    if (error !== groupRead.ended || groupRead.readings.every(isNothing)) throw error
  })
  return groupRead
}

/** Nothing came of it that must be recorded. */
function isNothing({ state, received }: SliceReading): boolean {
  return state !== 'complete' && received === 0
}
