import type { EstimateFacts } from '../api/quota/estimate.ts'
import type { RateLabel } from '../core/define/operation.ts'
import type { Stream } from '../core/define/stream.ts'
import { DAY_MS } from '../core/time/time.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import type { PriorityRule } from './archive-order.ts'
import { labelBudget } from './call-budget.ts'
import { type Deadlines, forecastDeadlines, type PendingSession, spareCalls } from './deadlines.ts'
import { countOverdue, dueSessions } from './sql/archive-deadlines.ts'
import { countLapsed, lapsingOf } from './sql/lapsed-parents.ts'

export interface DeadlineOptions {
  account: string
  rules: readonly PriorityRule[]
  /** What lists a session's archives. */
  stream: Stream
  /** Of the calls that list them and fetch them. */
  label: RateLabel
  /** Activities to a page of a session's list. */
  pageSize: number
  /** The account's quotas and spending; `callsPerLabel` is what comes before the archives. */
  facts: EstimateFacts
  /** The service told to wait with the label until then. */
  retryAtMs: number
}

export interface ArchiveDeadlines extends Deadlines {
  label: RateLabel
  /** Sessions that expire within seven days and were never listed: they may have archives too. */
  unread: number
  /** What is past its last day, and of which no run has told yet: archives, and sessions never listed. */
  overdue: { archives: number; sessions: number }
}

/** What expires and how far the quota reaches, from the database alone; sends nothing. */
export async function readDeadlines(
  warehouse: Warehouse,
  options: DeadlineOptions,
): Promise<ArchiveDeadlines> {
  const { account, rules, stream, label, facts } = options
  const { pending, unread } = await readPending(warehouse, options)
  const callsUntil = labelBudget(options)
  const forecast = forecastDeadlines(pending, { rules, nowMs: facts.nowMs, callsUntil })
  const lapsing = lapsingOf(account, stream)
  const overdue = await warehouse.transaction(async (tx) => ({
    archives: await countOverdue(tx, account),
    sessions: lapsing === undefined ? 0 : await countLapsed(tx, lapsing),
  }))
  return { ...forecast, label, unread, overdue }
}

/** Calls that may go to files without a deadline, as what expires within seven days does not need them. */
export async function readSpareCalls(
  warehouse: Warehouse,
  options: Omit<DeadlineOptions, 'rules' | 'stream'>,
): Promise<number> {
  const { pending } = await readPending(warehouse, options)
  return spareCalls(pending, { nowMs: options.facts.nowMs, callsUntil: labelBudget(options) })
}

async function readPending(
  warehouse: Warehouse,
  { account, pageSize, facts }: Pick<DeadlineOptions, 'account' | 'pageSize' | 'facts'>,
): Promise<{ pending: PendingSession[]; unread: number }> {
  const untilMs = facts.nowMs + 7 * DAY_MS
  const { sessions, unread } = await dueSessions(warehouse.db, { account, untilMs })
  const pending = sessions.map(({ activities, ...session }) => ({
    ...session,
    pages: Math.ceil(activities / pageSize),
  }))
  return { pending, unread }
}
