import { parseInstant } from '../core/time.ts'
import { loadFingerprints } from '../warehouse/fingerprints.ts'
import type { FoundRow } from './confirm-gone.ts'
import { slicesAt } from './plan-stream.ts'
import type { GroupReading } from './read-slices.ts'
import { retryDatabase } from './retry-database.ts'
import type { RunContext } from './run-context.ts'

/**
 * Adds the windows that hold the found rows to the group, for its second reading: a recording that was
 * taken out of the trash is in its window again, which need not be one of those that were due.
 */
export async function widen(
  run: RunContext,
  taking: GroupReading,
  found: readonly FoundRow[],
): Promise<void> {
  const { stream, owned, slices } = taking.group
  if (stream.sync.kind !== 'windows' || owned.kind !== 'windows') return
  const { cursor } = stream.sync
  const instants = found.map(({ record }) => Date.parse(parseInstant(String(record[cursor])) ?? ''))
  const known = new Set(slices.map(({ request }) => request.slice))
  const limits = { nowMs: run.clock.now(), historyDays: run.historyDays }
  const more = slicesAt(stream, instants, limits).filter(({ request }) => !known.has(request.slice))
  if (more.length === 0) return
  const windows = [...owned.windows, ...more.flatMap((slice) => slice.owned ?? [])]
  const wider = { ...owned, windows }
  const scope = { account: run.account, stream, owned: wider }
  await retryDatabase(run, () => loadFingerprints(run.warehouse, scope, taking.table))
  run.progress(stream, { planned: more.length })
  taking.group = { stream, owned: wider, slices: [...slices, ...more] }
}
