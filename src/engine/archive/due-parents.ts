import { DAY_MS } from '../../core/time.ts'
import { pendingParents, type PendingParent } from '../../warehouse/pending-files.ts'
import { type FetchTurn, orderForFetching, type PendingSession } from '../deadlines.ts'
import { retryDatabase } from '../retry-database.ts'
import type { Work } from './work.ts'

export interface DueParents {
  turns: FetchTurn<PendingSession>[]
  /** So few calls are left of the day that each must go to whoever is next. */
  oneByOne: boolean
}

/**
 * The parents with files to fetch, in the order in which to fetch them. In a look before other work, what
 * expires within that time and can be kept: what has to be given up for others waits for its turn.
 */
export async function dueParents(work: Work): Promise<DueParents> {
  const { clock, warehouse, scope, archive, source, withinMs } = work
  const nowMs = clock.now()
  const dueMs = nowMs + 7 * DAY_MS
  const limits = { dueMs, untilMs: withinMs === undefined ? undefined : dueMs }
  const parents = await retryDatabase(work, () => pendingParents(warehouse.db, scope, limits))
  const { paging } = source.list.operation
  const pageSize = paging?.style === 'token' ? paging.maxPageSize : undefined
  const sessions = parents.map((parent) => ({ ...parent, pages: pagesOf(parent, pageSize) }))
  const callsUntil = await archive.callBudget(source.download.rate)
  const rules = archive.settings.priority
  const { turns, scarce } = orderForFetching(sessions, { rules, nowMs, callsUntil })
  const midnightMs = nowMs - (nowMs % DAY_MS) + DAY_MS
  const oneByOne = scarce && (callsUntil?.(midnightMs) ?? 0) < FEW_CALLS
  if (withinMs === undefined) return { turns, oneByOne }
  const urgent = ({ session: { expiresAtMs }, givenUp }: FetchTurn<PendingSession>): boolean =>
    !givenUp && nowMs < expiresAtMs && expiresAtMs <= nowMs + withinMs
  return { turns: turns.filter(urgent), oneByOne }
}

/** What lists a parent again costs: a detail, or the pages of its list. */
function pagesOf({ files }: PendingParent, pageSize: number | undefined): number {
  return pageSize === undefined ? 1 : Math.ceil(files / pageSize)
}

const FEW_CALLS = 500
