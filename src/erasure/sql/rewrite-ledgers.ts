import { sql } from 'kysely'
import { readBody, storableBody } from '../../core/notifications/body.ts'
import { fieldOf } from '../../core/notifications/event-time.ts'
import { definitionOf } from '../../core/notifications/events.ts'
import { subjectsOf } from '../../core/notifications/subjects.ts'
import type { ColumnPolicy, RecordPolicy } from '../../core/records/column-policy.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { anyOf } from '../../warehouse/schema/expressions.ts'

interface OfStream {
  account: string
  name: string
  policy: RecordPolicy
}

/** Rewrites the quarantined records of a stream. A payload that cannot be parsed is emptied. */
export async function rewriteQuarantine(
  tx: Transaction,
  { account, name, policy }: OfStream,
): Promise<number> {
  const rows = await tx
    .selectFrom('callsheet.quarantine')
    .selectAll()
    .where('account', '=', account)
    .where('stream', '=', name)
    .execute()
  const changing = rows.flatMap(({ id, ...row }) => {
    const payload = rewrittenText(row.payload, policy)
    return payload === row.payload ? [] : [{ id, row: { ...row, payload } }]
  })
  if (changing.length === 0) return 0
  const ids = changing.map(({ id }) => id)
  await tx
    .deleteFrom('callsheet.quarantine')
    .where('account', '=', account)
    .where('id', 'in', ids)
    .execute()
  // Records that differed only in a removed field are one now.
  for (const { row } of changing)
    await tx
      .insertInto('callsheet.quarantine')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  return changing.length
}

function rewrittenText(payload: string, policy: RecordPolicy): string {
  try {
    return payload === '' ? '' : policy.appliedTo(payload)
  } catch {
    // Not JSON, or nested too deep.
    return ''
  }
}

/** Deletes the findings of drift in these fields, with their examples of values. */
export async function rewriteDrift(
  tx: Transaction,
  { account, name, fields }: OfStream & { fields: readonly string[] },
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('callsheet.drift')
    .where('account', '=', account)
    .where('stream', '=', name)
    .where('path', '=', anyOf(fields))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Rewrites up to 500 notifications after the given one; `last` is undefined if none follow. */
export async function rewriteNotifications(
  tx: Transaction,
  { account, policy, after }: { account: string; policy: ColumnPolicy; after: number },
): Promise<{ rewritten: number; last: number | undefined }> {
  const rows = await tx
    .selectFrom('callsheet.notifications')
    .select(['id', 'event', 'body', 'hash'])
    .where('account', '=', account)
    .where('id', '>', after)
    .where(sql<boolean>`length(body) > 0`)
    .orderBy('id')
    .limit(AT_ONCE)
    .execute()
  let rewritten = 0
  for (const { id, event, body, hash } of rows) {
    const received = { ...readBody(body), hash }
    const kept = storableBody(received, policy)
    if (kept === received) continue
    rewritten++
    const subjects = subjectsOf(fieldOf(kept.parsed, 'payload'), definitionOf(event)?.id)
    await tx
      .updateTable('callsheet.notifications')
      .set({
        body: kept.bytes,
        payload: sql`${kept.json}::jsonb`,
        hash: kept.hash,
        subjects: sql`${[...subjects]}::text[]`,
      })
      .where('account', '=', account)
      .where('id', '=', id)
      .execute()
    await tx
      .updateTable('callsheet.event_states')
      .set({ hash: kept.hash })
      .where('account', '=', account)
      .where('notification_id', '=', id)
      .execute()
  }
  return { rewritten, last: rows.length < AT_ONCE ? undefined : rows.at(-1)?.id }
}

const AT_ONCE = 500
