import { sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'

/**
 * The request of an erasure that was done before a backup was restored. It is done, and names nobody: it
 * stands for what the suppression list has of that erasure. Returns its ID, which it has had if it is known.
 */
export async function addRestoredRequest(
  tx: Transaction,
  account: string,
  { name, askedAt, byName }: { name: string; askedAt: string; byName: boolean },
): Promise<number> {
  const at = { asked_at: askedAt, requested_at: askedAt, due_at: askedAt }
  const subject = `restored:${name}`
  await tx
    .insertInto('callsheet.erasure_requests')
    .values({ account, subject, source: RESTORED, ...at, by_name: byName, state: 'done' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { id } = await tx
    .updateTable('callsheet.erasure_requests')
    .set(({ fn }) => ({ ended_at: fn.coalesce('ended_at', now) }))
    .where('account', '=', account)
    .where('subject', '=', subject)
    .where('source', '=', RESTORED)
    .where('asked_at', '=', sql<string>`${askedAt}::timestamptz`)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const RESTORED = 'restored'
