import { randomBytes } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { countsEverywhere, type Identity, tokenOf } from '../../core/persons/identity.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { givenRows } from '../../warehouse/given-rows.ts'
import { lockSuppressions } from '../../warehouse/keep-out/erasure-locks.ts'
import { giveKey, readKey } from '../../warehouse/keep-out/suppressions.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { closeRequests, openRequestsOf } from './closed-requests.ts'

/** An identity on the suppression list, and the request that put it there. */
export interface Suppressed {
  /** The identity's digest under the account's key, in hex. */
  token: string
  counts: string
  requestId: number
}

/** Returns all identities on the list, with the proof of their origin. */
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

/** Stores proofs for listed identities, after the operator confirmed that our erasures added them. */
export async function proveSuppressions(
  tx: Transaction,
  account: string,
  proven: readonly (Suppressed & { proof: Buffer })[],
): Promise<void> {
  if (proven.length === 0) return
  const rows = proven.map(({ token, requestId, proof }) => ({
    token,
    requestId,
    proof: proof.toString('hex'),
  }))
  await tx
    .updateTable('callsheet.suppressions as s')
    .from(givenRows('r', rows, { token: 'text', requestId: 'bigint', proof: 'text' }))
    .set({ proof: bytesOf('r.proof') })
    .where('s.account', '=', account)
    .where('s.token', '=', bytesOf('r.token'))
    .whereRef('s.request_id', '=', 'r.requestId')
    .execute()
}

/**
 * Removes listed identities, after the operator declared that our erasures did not add them. The next full
 * sync stores these persons again, unless another request lists them.
 */
export async function removeSuppressions(
  tx: Transaction,
  account: string,
  removed: readonly Suppressed[],
): Promise<void> {
  if (removed.length === 0) return
  const rows = removed.map(({ token, requestId }) => ({ token, requestId }))
  await tx
    .deleteFrom('callsheet.suppressions as s')
    .using(givenRows('r', rows, { token: 'text', requestId: 'bigint' }))
    .where('s.account', '=', account)
    .where('s.token', '=', bytesOf('r.token'))
    .whereRef('s.request_id', '=', 'r.requestId')
    .execute()
}

/**
 * Puts identities on the list for a request. The request's earlier identities stay; a name may now be
 * suppressed in more places.
 */
export async function suppress(
  tx: Transaction,
  account: string,
  given: {
    identities: readonly Identity[]
    requestId: number
    byName: boolean
    /** Returns the proof that an identity was put there with our key. */
    prove(suppressed: Suppressed): Buffer
  },
): Promise<void> {
  await lockSuppressions(tx, account)
  const key = await keyOf(tx, account)
  const listed = given.identities.map((identity) => ({
    token: tokenOf(key, identity),
    counts: countsOf(identity, given.byName),
  }))
  await listTokens(tx, account, { ...given, listed })
}

/** Adds identities, given by their digests, to the list. Never narrows where a listed name is suppressed. */
export async function listTokens(
  tx: Transaction,
  account: string,
  given: {
    listed: readonly Pick<Suppressed, 'token' | 'counts'>[]
    requestId: number
    prove(suppressed: Suppressed): Buffer
  },
): Promise<void> {
  const rows = given.listed.map(({ token, counts }) => {
    const proof = given.prove({ token, counts, requestId: given.requestId }).toString('hex')
    return { token, counts, proof }
  })
  if (rows.length === 0) return
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
 * Allows the persons with these identities to be stored again: closes their open requests, and removes the
 * identities that any of their requests put on the list. Keeps identities that another person's request put
 * there too. Returns the number of closed requests, the number of identities that are no longer listed, and
 * the IDs of these persons' requests. No erasure may be running.
 */
export async function readmit(
  tx: Transaction,
  account: string,
  identities: readonly Identity[],
): Promise<{ closed: number; taken: number; requests: number[] }> {
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
  await closeRequests(tx, account, open)
  return { closed: open.length, taken, requests }
}

function countsOf(identity: Identity, byName: boolean): string {
  if (identity.kind !== 'name') return 'person'
  return countsEverywhere(identity, byName) ? 'name_everywhere' : 'name_beside'
}

async function keyOf(tx: Transaction, account: string): Promise<Buffer> {
  await giveKey(tx, account, randomBytes(32))
  return (await readKey(tx, account)) ?? Buffer.alloc(32)
}

function bytesOf(hex: string): RawBuilder<Buffer> {
  return sql`decode(${sql.ref(hex)}, 'hex')`
}
