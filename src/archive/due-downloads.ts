import { filesPerPage } from '../core/define/file-source.ts'
import { DAY_MS } from '../core/time/time.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { type FetchTurn, orderForFetching, type PendingSession } from './deadlines.ts'
import { type PendingParent, pendingParents } from './sql/pending-files.ts'
import type { ArchiveWork } from './work.ts'

type DueSession = PendingSession & Pick<PendingParent, 'deleted' | 'tries'>

export type DueTurn = FetchTurn<DueSession>

/**
 * Returns the parents with files to fetch, in the order of fetching. Only a retry includes parents that a
 * sync found deleted. With `beforeOthers`, only files that expire within the next seven days, without those
 * that the forecast gives up.
 */
export async function dueDownloads(work: ArchiveWork): Promise<DueTurn[]> {
  const { clock, warehouse, archive, source, beforeOthers, retry } = work
  const nowMs = clock.now()
  const dueMs = nowMs + 7 * DAY_MS
  const lost = work.leaveLost !== true
  const limits = { dueMs, untilMs: beforeOthers ? dueMs : undefined, lost }
  const all = await retryDatabase(work, () => pendingParents(warehouse.db, work, limits))
  const parents = retry ? all : all.filter(({ deleted }) => !deleted)
  const pageSize = filesPerPage(source)
  const sessions = parents.map((parent) => ({ ...parent, pages: pagesOf(parent, pageSize) }))
  const callsUntil = await archive.callBudget(source.download.rate)
  const rules = archive.settings.priority
  const inOrder = orderForFetching(sessions, { rules, nowMs, callsUntil })
  return beforeOthers
    ? inOrder.filter(({ session, givenUp }) => !givenUp && nowMs < session.expiresAtMs)
    : inOrder
}

/** Returns how many calls list a parent again: one detail, or the pages of its list. */
function pagesOf({ files }: PendingParent, pageSize: number | undefined): number {
  return pageSize === undefined ? 1 : Math.ceil(files / pageSize)
}
