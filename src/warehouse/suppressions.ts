import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { countsEverywhere, type Identity, tokenOf } from '../core/erasure/identity.ts'
import type { SuppressionList } from '../core/erasure/suppression.ts'
import type { Transaction } from './connect.ts'
import { lockSuppressions } from './erasure-locks.ts'

/** Whom an account must not keep any more. Without a list yet its key is all zeros and nobody is on it. */
export async function readSuppressions(db: Transaction, account: string): Promise<SuppressionList> {
  const { rows } = await sql<{ token: string; counts: string }>`
    select encode(token, 'hex') as token, counts from callsheet.suppressions
    where account = ${account}`.execute(db)
  const key = rows.length === 0 ? undefined : await readKey(db, account)
  return {
    key: key ?? Buffer.alloc(32),
    persons: new Set(rows.flatMap(({ token, counts }) => (counts === 'person' ? [token] : []))),
    names: new Map(
      rows.flatMap(({ token, counts }) =>
        counts === 'person'
          ? []
          : [[token, counts === 'name_everywhere' ? 'everywhere' : 'beside']],
      ),
    ),
  }
}

/** Puts identities on the list; one that is there already stays, and its name counts for more from now on. */
export async function suppress(
  tx: Transaction,
  account: string,
  given: { identities: readonly Identity[]; requestId: number; byName: boolean },
): Promise<void> {
  await lockSuppressions(tx, account)
  const key = await keyOf(tx, account)
  const rows = given.identities.map((identity) => ({
    token: tokenOf(key, identity),
    counts:
      identity.kind !== 'name'
        ? 'person'
        : countsEverywhere(identity, given.byName)
          ? 'name_everywhere'
          : 'name_beside',
  }))
  await sql`
    insert into callsheet.suppressions as s (account, token, counts, request_id, since)
    select distinct on (token) ${account}, decode(token, 'hex'), counts, ${given.requestId},
      callsheet.clock()
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(token text, counts text)
    on conflict (account, token) do update set counts = excluded.counts
    where s.counts = 'name_beside'`.execute(tx)
}

/** Takes identities from the list again, for whoever may be kept anew; answers how many were on it. */
export async function readmit(
  tx: Transaction,
  account: string,
  identities: readonly Identity[],
): Promise<number> {
  const key = await readKey(tx, account)
  if (key === undefined) return 0
  const tokens = identities.map((identity) => tokenOf(key, identity))
  const { numAffectedRows = 0n } = await sql`
    delete from callsheet.suppressions s where s.account = ${account} and s.request_id in (
      select request_id from callsheet.suppressions
      where account = ${account}
        and token in (select decode(t, 'hex') from unnest(${tokens}::text[]) t))`.execute(tx)
  return Number(numAffectedRows)
}

async function keyOf(tx: Transaction, account: string): Promise<Buffer> {
  await sql`insert into callsheet.suppression_keys (account, key)
    values (${account}, ${randomBytes(32)}) on conflict (account) do nothing`.execute(tx)
  return (await readKey(tx, account)) ?? Buffer.alloc(32)
}

async function readKey(db: Transaction, account: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{ key: Buffer }>`
    select key from callsheet.suppression_keys where account = ${account}`.execute(db)
  return rows[0]?.key
}
