import { sql } from 'kysely'
import type { BoardLabel } from '../../core/declare/operation.ts'
import type { Transaction, Warehouse } from '../connection/connect.ts'
import type { Lease } from './lease.ts'

/** A call that changes something at the service. Secrets are blanked in all of it. */
export interface NewCall {
  account: string
  operation: string
  askedBy: string
  /** JSON text. */
  arguments: string
  body: string | undefined
  /** How many calls for the same things are to come after it. */
  toFollow: number
}

/** `partly`: some items failed. `unknown`: it went out, and nobody can say whether it was done. */
export interface CallEnd {
  state: 'done' | 'partly' | 'refused' | 'unknown' | 'not_sent'
  status?: number | undefined
  code?: string | undefined
  trackingId?: string | undefined
  reason?: string | undefined
  /** What label a board carries now that it is done. */
  label?: BoardLabel | undefined
}

/**
 * Enters a call before it goes out, so that none is missing, whatever happens then. Answers its number. With
 * a lease only while that is held: whoever slept and lost it sends nothing more.
 */
export async function enterCall(
  warehouse: Warehouse,
  call: NewCall,
  lease?: Pick<Lease, 'check'>,
): Promise<number> {
  const { account, operation, askedBy, arguments: args, body = null, toFollow } = call
  return await warehouse.transaction(async (tx) => {
    await lease?.check(tx)
    const { rows } = await sql<{ id: number }>`
      insert into callsheet.calls
        (account, operation, asked_by, arguments, body, to_follow, asked_at, state)
      values (${account}, ${operation}, ${askedBy}, ${args}::json, ${body}::json, ${toFollow},
        callsheet.clock(), 'open')
      returning id`.execute(tx)
    return rows[0]?.id ?? 0
  })
}

/** Enters what became of a call, and the label that it put on a board; done again it changes nothing. */
export async function endCall(warehouse: Warehouse, id: number, end: CallEnd): Promise<void> {
  const { state, status = null, code = null, trackingId = null, reason = null, label } = end
  await warehouse.transaction(async (tx) => {
    const { numAffectedRows } = await sql`
      update callsheet.calls set state = ${state}, status = ${status}, code = ${code},
        tracking_id = ${trackingId}, reason = ${reason}, ended_at = callsheet.clock()
      where id = ${id} and state = 'open'`.execute(tx)
    if (numAffectedRows === 1n && label !== undefined) await enterLabel(tx, id, label)
  })
}

/** With the name that the label has as far as we know: one that was made just now was never listed. */
async function enterLabel(
  tx: Transaction,
  call: number,
  { whiteboardId, classificationId }: BoardLabel,
): Promise<void> {
  await sql`
    insert into callsheet.applied_labels
      (account, whiteboard_id, call_id, applied_at, classification_id, name, applied_by)
    select c.account, ${whiteboardId}, c.id, c.ended_at, ${classificationId},
      (select l.name from svc.classification_labels l
        where l.account = c.account collate "C" and l.classification_id = ${classificationId}),
      c.asked_by
    from callsheet.calls c where c.id = ${call}`.execute(tx)
}

export interface DoubtfulCall {
  id: number
  operation: string
  state: 'open' | 'partly' | 'unknown'
  askedAt: string
}

/** The calls of an account, since an instant, that may have been done in whole or in part. */
export async function doubtfulCalls(
  db: Transaction,
  { account, sinceMs }: { account: string; sinceMs: number },
): Promise<DoubtfulCall[]> {
  const { rows } = await sql<DoubtfulCall>`
    select id, operation, state, asked_at as "askedAt" from callsheet.calls
    where account = ${account} and state in ('open', 'partly', 'unknown')
      and asked_at >= ${new Date(sinceMs).toISOString()}::timestamptz
    order by id`.execute(db)
  return rows
}

export interface MadeWrite {
  operation: string
  state: 'done' | 'unknown'
  /** As they were sent, secrets blanked. */
  arguments: { path?: Record<string, string> }
  body: Record<string, unknown> | null
  toFollow: number
  askedAt: string
}

/**
 * The calls of these operations that were done, or may have been; the oldest first. An erasure may have
 * emptied one (its arguments are JSON's null): nobody knows what that changed, so none before it are told.
 */
export async function readWrites(
  db: Transaction,
  { account, operations }: { account: string; operations: readonly string[] },
): Promise<MadeWrite[]> {
  const { rows } = await sql<MadeWrite>`
    with made as (
      select id, operation, case state when 'done' then 'done' else 'unknown' end as state,
        arguments, body, to_follow as "toFollow", asked_at as "askedAt" from callsheet.calls
      where account = ${account} and operation = any(${[...operations]}::text[])
        and state in ('open', 'done', 'partly', 'unknown'))
    select operation, state, arguments, body, "toFollow", "askedAt" from made
    where id > coalesce((select max(id) from made where arguments::text = 'null'), 0)
    order by id`.execute(db)
  return rows
}
