import { deletionsApproved } from '../../warehouse/ledgers/deletion-guard.ts'
import { retryDatabase } from '../run/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'
import type { SliceReading } from '../run/slice-reading.ts'
import type { GroupRead } from '../sync/read-group.ts'

/**
 * A drop past the limit waits for a person. So does a list of several rows that comes to nothing, unless a
 * detail call can be asked about each. The list of a single parent, or of the trash, may well become empty,
 * and so may a list of one row: for these the limit alone counts.
 */
export async function checkDrop(
  run: RunContext,
  { group, table, readings }: GroupRead,
  missing: number,
): Promise<'free' | 'approved' | { missing: number; owned: number }> {
  const { stream } = group
  const owned = table.loaded
  const { share, rows, own = 0 } = run.deletionGuard
  // Unusable records may be some of the missing rows. Only a detail call can mark a row beside them.
  const unusable = sum(readings, ({ quarantined, refused }) => quarantined + refused)
  const fallen = stream.deletions.by === 'detail' ? missing : missing - unusable
  if (fallen <= own) return 'free'
  const unproven =
    (group.owned.kind === 'all' && stream.mayBeEmpty !== true) ||
    (group.owned.kind === 'windows' && stream.deletions.by === 'second-read')
  const emptied = unproven && missing === owned && owned > 1
  if (!emptied && (fallen <= rows || fallen <= share * owned)) return 'free'
  const scope = { account: run.account, runId: run.runId, stream }
  const approved = await retryDatabase(run, () =>
    deletionsApproved(run.warehouse, { ...scope, chainRunId: run.chainRunId, missing }),
  )
  return approved ? 'approved' : { missing, owned }
}

function sum(readings: readonly SliceReading[], of: (reading: SliceReading) => number): number {
  return readings.reduce((all, reading) => all + of(reading), 0)
}
