import type { SuppressionList } from '../../core/persons/suppression.ts'
import type { Transaction } from '../connect.ts'

/** Reads the account's suppression list. If there is none, the key is all zeros and the list is empty. */
export async function readSuppressions(db: Transaction, account: string): Promise<SuppressionList> {
  // If several requests list one name, the widest scope applies.
  const rows = await db
    .selectFrom('callsheet.suppressions')
    .select(({ fn }) => ['token', fn.max('counts').as('counts')])
    .where('account', '=', account)
    .groupBy('token')
    .execute()
  const listed = rows.map(({ token, counts }) => ({ token: token.toString('hex'), counts }))
  const key = rows.length === 0 ? undefined : await readKey(db, account)
  return {
    key: key ?? Buffer.alloc(32),
    persons: new Set(listed.flatMap(({ token, counts }) => (counts === 'person' ? [token] : []))),
    names: new Map(
      listed.flatMap(({ token, counts }) =>
        counts === 'person'
          ? []
          : [[token, counts === 'name_everywhere' ? 'everywhere' : 'beside']],
      ),
    ),
  }
}

/** Sets the account's key, once: a later key is ignored. */
export async function giveKey(tx: Transaction, account: string, key: Buffer): Promise<void> {
  await tx
    .insertInto('callsheet.suppression_keys')
    .values({ account, key })
    .onConflict((conflict) => conflict.column('account').doNothing())
    .execute()
}

/** Returns the key of the list's digests; undefined before the first erasure. */
export async function readKey(db: Transaction, account: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('callsheet.suppression_keys')
    .select('key')
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.key
}
