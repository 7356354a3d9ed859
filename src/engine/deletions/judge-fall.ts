import { brakeReleased } from '../../warehouse/ledgers/suspects.ts'
import { retryDatabase } from '../run/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'
import type { SliceReading } from '../run/slice-reading.ts'
import type { GroupReading } from '../sync/read-slices.ts'

/**
 * A fall past the limit, or of several rows to nothing at all where no detail call tells better, waits for a
 * person. The list of a single parent, or of the trash, may well come to nothing: for that the limit alone
 * holds, and so it does for one row, the last of many a list that honestly ends.
 */
export async function judgeFall(
  run: RunContext,
  { group, table, readings }: GroupReading,
  missing: number,
): Promise<'free' | 'released' | { missing: number; owned: number }> {
  const { stream } = group
  const owned = table.loaded
  const { share, rows, own = 0 } = run.goneLimit
  // Unusable records may be some of the missing rows. Only a detail call can mark a row beside them.
  const unusable = sum(readings, ({ quarantined, refused }) => quarantined + refused)
  const fallen = stream.gone.by === 'detail' ? missing : missing - unusable
  if (fallen <= own) return 'free'
  const unproven =
    (group.owned.kind === 'all' && stream.mayBeEmpty !== true) ||
    (group.owned.kind === 'windows' && stream.gone.by === 'second-reading')
  const emptied = unproven && missing === owned && owned > 1
  if (!emptied && (fallen <= rows || fallen <= share * owned)) return 'free'
  const scope = { account: run.account, runId: run.runId, stream }
  const released = await retryDatabase(run, () =>
    brakeReleased(run.warehouse, { ...scope, chainRunId: run.chainRunId, missing }),
  )
  return released ? 'released' : { missing, owned }
}

function sum(readings: readonly SliceReading[], of: (reading: SliceReading) => number): number {
  return readings.reduce((all, reading) => all + of(reading), 0)
}
