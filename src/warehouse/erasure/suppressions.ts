import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { countsEverywhere, type Identity, tokenOf } from '../../core/erasure/identity.ts'
import type { SuppressionList } from '../../core/erasure/suppression.ts'
import type { Transaction } from '../connection/connect.ts'
import { lockSuppressions } from './erasure-locks.ts'
import { closeRequests, openRequestsOf } from './erasure-requests.ts'

/** An identity on the list, and the request that put it there. */
export interface Suppressed {
  /** Its digest under the account's key, in hex. */
  token: string
  counts: string
  requestId: number
}

/** Whom an account must not keep any more. Without a list yet its key is all zeros and nobody is on it. */
export async function readSuppressions(db: Transaction, account: string): Promise<SuppressionList> {
  const { rows } = await sql<{ token: string; counts: string }>`
    select encode(token, 'hex') as token, ${COUNTS_MOST} as counts from callsheet.suppressions
    where account = ${account} group by token`.execute(db)
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

/** Puts identities on the list for a request; those of its last try stay, and a name may count for more. */
export async function suppress(
  tx: Transaction,
  account: string,
  given: {
    identities: readonly Identity[]
    requestId: number
    byName: boolean
    /** What shows that who puts these there has a key of ours. */
    prove(suppressed: Suppressed): Buffer
  },
): Promise<void> {
  await lockSuppressions(tx, account)
  const key = await keyOf(tx, account)
  const rows = given.identities.map((identity) => {
    const token = tokenOf(key, identity)
    const counts = countsOf(identity, given.byName)
    const proof = given.prove({ token, counts, requestId: given.requestId }).toString('hex')
    return { token, counts, proof }
  })
  await sql`
    insert into callsheet.suppressions as s (account, token, counts, request_id, since, proof)
    select distinct on (token) ${account}, decode(token, 'hex'), counts, ${given.requestId},
      callsheet.clock(), decode(proof, 'hex')
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(token text, counts text, proof text)
    on conflict (account, token, request_id) do update
      set counts = excluded.counts, proof = excluded.proof
    where s.counts in ('name_beside', excluded.counts)`.execute(tx)
}

/**
 * Lets whom these identities name be kept anew: closes their requests that are still open, and takes from the
 * list what any request of theirs put there, but for what another's did, too. Answers how many requests were
 * closed, and how many identities nobody is kept out by any more. No erasure may be under way meanwhile.
 */
export async function readmit(
  tx: Transaction,
  account: string,
  identities: readonly Identity[],
): Promise<{ closed: number; taken: number }> {
  await lockSuppressions(tx, account)
  const key = await readKey(tx, account)
  const tokens = key === undefined ? [] : identities.map((identity) => tokenOf(key, identity))
  const open = await openRequestsOf(tx, account, identities)
  const { rows: listed } = await sql<{ id: number }>`
    select distinct request_id as id from callsheet.suppressions where account = ${account}
      and token in (select decode(t, 'hex') from unnest(${tokens}::text[]) t)`.execute(tx)
  const requests = [...open, ...listed.map(({ id }) => id)]
  const { rows } = await sql<{ taken: number }>`
    with gone as (
      delete from callsheet.suppressions where account = ${account}
        and request_id = any(${requests}::bigint[]) returning token)
    select count(distinct g.token)::int as taken from gone g where not exists (
      select 1 from callsheet.suppressions s where s.account = ${account} and s.token = g.token
        and s.request_id <> all(${requests}::bigint[]))`.execute(tx)
  await closeRequests(tx, open)
  return { closed: open.length, taken: rows[0]?.taken ?? 0 }
}

/** Each identity on the list, with what shows who put it there. */
export async function listedSuppressions(
  db: Transaction,
  account: string,
): Promise<(Suppressed & { proof: Buffer | null })[]> {
  const rows = await db
    .selectFrom('callsheet.suppressions')
    .select(['token', 'counts', 'request_id as requestId', 'proof'])
    .where('account', '=', account)
    .orderBy('request_id')
    .orderBy('token')
    .execute()
  return rows.map((row) => ({ ...row, token: row.token.toString('hex') }))
}

/** A person says that these are ours. */
export async function proveSuppressions(
  tx: Transaction,
  account: string,
  proven: readonly (Suppressed & { proof: Buffer })[],
): Promise<void> {
  if (proven.length === 0) return
  const rows = proven.map(({ proof, ...one }) => ({ ...one, proof: proof.toString('hex') }))
  await sql`
    update callsheet.suppressions s set proof = decode(r.proof, 'hex')
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r(token text, "requestId" bigint, proof text)
    where s.account = ${account} and s.token = decode(r.token, 'hex')
      and s.request_id = r."requestId"`.execute(tx)
}

/** A person says that these are not ours: the next full sync keeps whom they kept out. */
export async function removeSuppressions(
  tx: Transaction,
  account: string,
  removed: readonly Suppressed[],
): Promise<void> {
  if (removed.length === 0) return
  await sql`
    delete from callsheet.suppressions s
    using jsonb_to_recordset(${JSON.stringify(removed)}::jsonb) as r(token text, "requestId" bigint)
    where s.account = ${account} and s.token = decode(r.token, 'hex')
      and s.request_id = r."requestId"`.execute(tx)
}

function countsOf(identity: Identity, byName: boolean): string {
  if (identity.kind !== 'name') return 'person'
  return countsEverywhere(identity, byName) ? 'name_everywhere' : 'name_beside'
}

async function keyOf(tx: Transaction, account: string): Promise<Buffer> {
  await tx
    .insertInto('callsheet.suppression_keys')
    .values({ account, key: randomBytes(32) })
    .onConflict((conflict) => conflict.column('account').doNothing())
    .execute()
  return (await readKey(tx, account)) ?? Buffer.alloc(32)
}

async function readKey(db: Transaction, account: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('callsheet.suppression_keys')
    .select('key')
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.key
}

/** Of what several requests say of one name. */
const COUNTS_MOST = sql`max(counts)`
