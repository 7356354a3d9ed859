import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { countsEverywhere, type Identity, tokenOf } from '../../core/erasure/identity.ts'
import type { SuppressionList } from '../../core/erasure/suppression.ts'
import type { Transaction } from '../connection/connect.ts'
import { now } from '../connection/expressions.ts'
import { givenRows } from '../connection/given-rows.ts'
import { lockSuppressions } from './erasure-locks.ts'
import { closeRequests, openRequestsOf } from './erasure-requests.ts'
import { bytesOf, type Suppressed } from './listed-suppressions.ts'

/** Whom an account must not keep any more. Without a list yet its key is all zeros and nobody is on it. */
export async function readSuppressions(db: Transaction, account: string): Promise<SuppressionList> {
  // Of what several requests say of one name, what counts most.
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
  await tx
    .insertInto('callsheet.suppressions')
    .columns(['account', 'token', 'counts', 'request_id', 'since', 'proof'])
    .expression(({ selectFrom, val }) =>
      selectFrom(givenRows('r', rows, { token: 'text', counts: 'text', proof: 'text' }))
        .distinctOn('r.token')
        .select([
          val(account).as('account'),
          bytesOf('r.token').as('token'),
          'r.counts',
          val(given.requestId).as('request_id'),
          now.as('since'),
          bytesOf('r.proof').as('proof'),
        ]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'token', 'request_id'])
        .doUpdateSet(({ ref }) => ({
          counts: ref('excluded.counts'),
          proof: ref('excluded.proof'),
        }))
        .where(({ eb, ref }) =>
          eb('callsheet.suppressions.counts', 'in', ['name_beside', ref('excluded.counts')]),
        ),
    )
    .execute()
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
  const tokens = identities.flatMap((identity) =>
    key === undefined ? [] : [Buffer.from(tokenOf(key, identity), 'hex')],
  )
  const open = await openRequestsOf(tx, account, identities)
  const listed = await tx
    .selectFrom('callsheet.suppressions')
    .select('request_id as id')
    .distinct()
    .where('account', '=', account)
    .where('token', '=', sql<Buffer>`any(${tokens}::bytea[])`)
    .execute()
  const requests = [...open, ...listed.map(({ id }) => id)]
  const { taken } = await tx
    .with('gone', (db) =>
      db
        .deleteFrom('callsheet.suppressions')
        .where('account', '=', account)
        .where('request_id', '=', sql<number>`any(${requests}::bigint[])`)
        .returning('token'),
    )
    .selectFrom('gone as g')
    .select(({ fn }) => fn.count<number>('g.token').distinct().as('taken'))
    .where(({ exists, not, selectFrom }) => {
      const ofAnother = selectFrom('callsheet.suppressions as s')
        .select('s.token')
        .where('s.account', '=', account)
        .whereRef('s.token', '=', 'g.token')
        .where('s.request_id', '<>', sql<number>`all(${requests}::bigint[])`)
      return not(exists(ofAnother))
    })
    .executeTakeFirstOrThrow()
  await closeRequests(tx, open)
  return { closed: open.length, taken }
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
