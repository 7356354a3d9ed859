import type { RateLabel } from '../core/define/operation.ts'
import type { Stream } from '../core/define/stream.ts'
import { DAY_MS } from '../core/time/time.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import type { PriorityRule } from './archive-order.ts'
import { type LabelBudget, labelBudget, leftToday } from './call-budget.ts'
import { costOf, type Deadlines, forecastDeadlines, type PendingSession } from './deadlines.ts'
import { countOverdue, dueSessions } from './sql/archive-deadlines.ts'
import { countLapsed, lapsingOf } from './sql/lapsed-parents.ts'

export interface DeadlineOptions extends LabelBudget {
  account: string
  rules: readonly PriorityRule[]
  /** The stream that lists a session's archives. */
  stream: Stream
  /** Activities per page of a session's list. */
  pageSize: number
}

export interface ArchiveDeadlines extends Deadlines {
  label: RateLabel
  /** The number of sessions that expire within seven days but were never listed; they may have archives. */
  unread: number
  /** Expired archives, and expired sessions that were never listed, that no run has recorded as lost yet. */
  overdue: { archives: number; sessions: number }
}

/** Forecasts which archives expire and how many the quota saves, from the database alone, without calls. */
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

/** Whether the label's calls of today may not suffice for archives that expire within seven days. */
export async function callsAreScarce(
  warehouse: Warehouse,
  options: Pick<DeadlineOptions, 'account' | 'label' | 'pageSize' | 'facts'>,
): Promise<boolean> {
  const left = leftToday(options.label, options.facts)
  if (left === Number.POSITIVE_INFINITY) return false
  const { pending } = await readPending(warehouse, options)
  const calls = pending.reduce((sum, session) => sum + costOf(session), 0)
  // Twice the calls, since some lists and files are requested again.
  return calls > 0 && left < 2 * calls + FEW_CALLS
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

const FEW_CALLS = 500
