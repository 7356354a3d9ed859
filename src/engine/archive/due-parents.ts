import { DAY_MS } from '../../core/time.ts'
import { pendingParents, type PendingParent } from '../../warehouse/pending-files.ts'
import { retryDatabase } from '../retry-database.ts'
import type { Work } from './work.ts'

/**
 * The parents with pending files, in the order of their deadlines. Only where the day's quota does not
 * suffice for all that expires within the day do the priorities of the configuration come before that.
 */
export async function dueParents(
  work: Work,
): Promise<{ parents: PendingParent[]; scarce: boolean }> {
  const { clock, warehouse, scope, archive, source, withinMs } = work
  const untilMs = withinMs === undefined ? undefined : clock.now() + withinMs
  const parents = await retryDatabase(work, () => pendingParents(warehouse.db, scope, { untilMs }))
  const left = await archive.callsLeft(source.download.rate)
  const resetMs = clock.now() - (clock.now() % DAY_MS) + DAY_MS
  if (left === undefined || callsUntil(parents, resetMs) <= left) return { parents, scarce: false }
  const rules = archive.settings.priority
  const order = { untilMs, scarceUntilMs: resetMs, rules }
  return {
    parents: await retryDatabase(work, () => pendingParents(warehouse.db, scope, order)),
    scarce: true,
  }
}

/** A call for each file and one for each listing; a long one takes more. */
function callsUntil(parents: readonly PendingParent[], untilMs: number): number {
  return parents
    .filter(({ expiresAtMs }) => expiresAtMs !== undefined && expiresAtMs <= untilMs)
    .reduce((sum, { files }) => sum + files + Math.ceil(files / LISTED_AT_ONCE), 0)
}

const LISTED_AT_ONCE = 300
