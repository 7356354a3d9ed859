import { DAY_MS } from '../../core/time.ts'
import { pendingParents, type PendingParent } from '../../warehouse/pending-files.ts'
import { type FetchTurn, orderForFetching, type PendingSession } from '../deadlines.ts'
import { retryDatabase } from '../retry-database.ts'
import type { Work } from './work.ts'

/**
 * The parents with files to fetch, in the order in which to fetch them, and whether the quota suffices for
 * all that expires within seven days.
 */
export async function dueParents(
  work: Work,
): Promise<{ turns: FetchTurn<PendingSession>[]; scarce: boolean }> {
  const { clock, warehouse, scope, archive, source, withinMs } = work
  const nowMs = clock.now()
  const untilMs = withinMs === undefined ? undefined : nowMs + withinMs
  const limits = { untilMs, dueMs: nowMs + 7 * DAY_MS }
  const parents = await retryDatabase(work, () => pendingParents(warehouse.db, scope, limits))
  const { paging } = source.list.operation
  const pageSize = paging?.style === 'token' ? paging.maxPageSize : undefined
  const sessions = parents.map((parent) => ({ ...parent, pages: pagesOf(parent, pageSize) }))
  const callsUntil = await archive.callBudget(source.download.rate)
  const { priority } = archive.settings
  return orderForFetching(sessions, { rules: priority, nowMs, callsUntil })
}

/** What lists a parent again costs: a detail, or the pages of its list. */
function pagesOf({ files }: PendingParent, pageSize: number | undefined): number {
  return pageSize === undefined ? 1 : Math.ceil(files / pageSize)
}
