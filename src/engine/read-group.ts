import { loadFingerprints } from '../warehouse/fingerprints.ts'
import { batchWriter } from './batch-writer.ts'
import type { PlannedGroup } from './plan-stream.ts'
import { type GroupReading, readSlices } from './read-slices.ts'
import { retryDatabase } from './retry-database.ts'
import type { RunContext } from './run-context.ts'
import { settleGroup } from './settle-group.ts'
import type { SliceReading } from './slice-reading.ts'

/** Reads all slices of a group, judges what they did not show, and enters them in the coverage. */
export async function readGroup(run: RunContext, group: PlannedGroup): Promise<SliceReading[]> {
  const { stream, owned } = group
  const table = await retryDatabase(run, () =>
    loadFingerprints(run.warehouse, { account: run.account, stream, owned }),
  )
  run.tables.add(stream, table)
  const taking: GroupReading = { group, table, writer: batchWriter(run, stream), readings: [] }
  await readSlices(run, taking)
  await settleGroup(run, taking)
  return taking.readings
}
