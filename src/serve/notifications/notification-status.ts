import type { Transaction } from '../../warehouse/connect.ts'

export interface NotificationStatus {
  stored: number
  /** Up to 100 event names that the documents do not contain. */
  unknown: string[]
  /** How many stored notifications are in each state that needs attention. */
  odd: { state: string; count: number }[]
  lastAt: string | undefined
  /** Erasure requests that wait or are under way, and the earliest deadline. */
  erasures: { waiting: number; firstDueAt: string | undefined }
}

export async function notificationStatus(
  db: Transaction,
  { account, sinceMs }: { account: string; sinceMs: number },
): Promise<NotificationStatus> {
  const received = db
    .selectFrom('callsheet.notifications')
    .where('account', '=', account)
    .where('received_at', '>=', new Date(sinceMs).toISOString())
  const rows = await received
    .select(({ fn }) => [
      'state',
      fn.countAll<number>().as('count'),
      fn.max('received_at').as('last'),
    ])
    .groupBy('state')
    .orderBy('state')
    .execute()
  const unknown = await received
    .select('event')
    .distinct()
    .where('state', '=', 'unknown')
    .orderBy('event')
    .limit(MOST_NAMES)
    .execute()
  const due = await db
    .selectFrom('callsheet.erasure_requests')
    .select(({ fn }) => [
      fn.countAll<number>().as('waiting'),
      fn.min<string | null>('due_at').as('first'),
    ])
    .where('account', '=', account)
    .where('state', 'in', ['waiting', 'under_way'])
    .executeTakeFirstOrThrow()
  return {
    stored: rows.reduce((sum, { count }) => sum + count, 0),
    unknown: unknown.map(({ event }) => event),
    odd: rows.filter(({ state }) => ODD.has(state)).map(({ state, count }) => ({ state, count })),
    lastAt: rows
      .map(({ last }) => last)
      .toSorted()
      .at(-1),
    erasures: { waiting: due.waiting, firstDueAt: due.first ?? undefined },
  }
}

const MOST_NAMES = 100
const ODD = new Set(['ahead', 'unknown', 'foreign', 'unparsed'])
