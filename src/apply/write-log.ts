import { type ExpressionBuilder, sql } from 'kysely'
import type { BoardLabel } from '../core/define/operation.ts'
import type { Transaction, Warehouse } from '../warehouse/connect.ts'
import type { Lease } from '../warehouse/ledger/lease.ts'
import { anyOf, now } from '../warehouse/schema/expressions.ts'
import type { Database } from '../warehouse/schema/types.ts'

/** A call that changes data at the service, with its secrets masked. */
export interface NewCall {
  account: string
  operation: string
  askedBy: string
  /** The arguments as JSON text. */
  arguments: string
  body: string | undefined
  /** How many further calls for the same objects are to follow. */
  toFollow: number
}

/** The end of a call. `partly`: some items failed. `unknown`: it was sent, but its result is unknown. */
export interface CallEnd {
  state: 'done' | 'partly' | 'refused' | 'unknown' | 'not_sent'
  status?: number | undefined
  code?: string | undefined
  trackingId?: string | undefined
  reason?: string | undefined
  /** The label that the call put on a board or removed. */
  label?: BoardLabel | undefined
}

/**
 * Records a call before it is sent, so that a sent call always has a record. Returns its number. With
 * `lease`, throws if the lease is lost, so that a process that slept sends no further calls.
 */
export async function recordCall(
  warehouse: Warehouse,
  call: NewCall,
  lease?: Pick<Lease, 'check'>,
): Promise<number> {
  const { account, operation, askedBy, arguments: args, body = null, toFollow } = call
  return await warehouse.transaction(async (tx) => {
    await lease?.check(tx)
    const asked = { asked_by: askedBy, asked_at: now, to_follow: toFollow }
    const { id } = await tx
      .insertInto('callsheet.calls')
      .values({ account, operation, arguments: args, body, ...asked, state: 'open' })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  })
}

/** Records the first result of a call, and the label that it put on a board. Ignores any later result. */
export async function endCall(
  warehouse: Warehouse,
  { account, id }: { account: string; id: number },
  end: CallEnd,
): Promise<void> {
  const { state, status = null, code = null, trackingId = null, reason = null, label } = end
  await warehouse.transaction(async (tx) => {
    const call = tx
      .updateTable('callsheet.calls')
      .set({ state, status, code, tracking_id: trackingId, reason, ended_at: now })
      .where('account', '=', account)
      .where('id', '=', id)
      .where('state', '=', 'open')
    await (label === undefined ? call : call.set(labelled(label))).execute()
  })
}

/** The label with its name; null for the name of a label that was never listed. */
const labelled =
  ({ whiteboardId, classificationId }: BoardLabel) =>
  ({ selectFrom }: ExpressionBuilder<Database, 'callsheet.calls'>) => ({
    whiteboard_id: whiteboardId,
    classification_id: classificationId,
    label: selectFrom('svc.classification_labels as l')
      .select('l.name')
      .where('l.account', '=', sql<string>`calls.account collate "C"`)
      .where('l.classification_id', '=', classificationId ?? ''),
  })

export interface DoubtfulCall {
  id: number
  operation: string
  state: 'open' | 'partly' | 'unknown'
  askedAt: string
}

/** Returns the account's calls since an instant that were carried out only in part or perhaps not at all. */
export async function doubtfulCalls(
  db: Transaction,
  { account, sinceMs }: { account: string; sinceMs: number },
): Promise<DoubtfulCall[]> {
  return await db
    .selectFrom('callsheet.calls')
    .select(['id', 'operation', 'state', 'asked_at as askedAt'])
    .where('account', '=', account)
    .where('state', 'in', ['open', 'partly', 'unknown'])
    .where('asked_at', '>=', new Date(sinceMs).toISOString())
    .orderBy('id')
    .$narrowType<{ state: 'open' | 'partly' | 'unknown' }>()
    .execute()
}

export interface MadeWrite {
  operation: string
  state: 'done' | 'unknown'
  /** The arguments as sent, with secrets masked. */
  arguments: { path?: Record<string, string> }
  body: Record<string, unknown> | null
  toFollow: number
  askedAt: string
}

/**
 * Returns the calls of these operations that were or may have been carried out, oldest first. If an erasure
 * emptied a call (its arguments are JSON null), its effect is unknown, so only later calls are returned.
 */
export async function readWrites(
  db: Transaction,
  { account, operations }: { account: string; operations: readonly string[] },
): Promise<MadeWrite[]> {
  const rows = await db
    .with('made', (from) =>
      from
        .selectFrom('callsheet.calls')
        .select(['id', 'operation', 'state', 'arguments', 'body', 'to_follow', 'asked_at'])
        .where('account', '=', account)
        .where('operation', '=', anyOf(operations))
        .where('state', 'in', ['open', 'done', 'partly', 'unknown']),
    )
    .selectFrom('made')
    .select(['operation', 'state', 'arguments', 'body'])
    .select(['to_follow as toFollow', 'asked_at as askedAt'])
    .where('id', '>', ({ fn, lit, selectFrom }) => {
      const emptied = selectFrom('made')
        .select(({ fn: of }) => of.max('id').as('last'))
        .where(sql`arguments::text`, '=', 'null')
      return fn.coalesce(emptied, lit(0))
    })
    .orderBy('id')
    .execute()
  return rows.map(({ state, ...row }) => ({
    ...row,
    state: state === 'done' ? state : 'unknown',
    arguments: row.arguments as MadeWrite['arguments'],
    body: row.body as MadeWrite['body'],
  }))
}
