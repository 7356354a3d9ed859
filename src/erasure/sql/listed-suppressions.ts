import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { givenRows } from '../../warehouse/given-rows.ts'

/** An identity on the list, and the request that put it there. */
export interface Suppressed {
  /** Its digest under the account's key, in hex. */
  token: string
  counts: string
  requestId: number
}

/** All identities on the list, with the proof of their origin. */
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

/** Stores proofs for identities that a person has confirmed as ours. */
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

/** Removes identities that a person has named as not ours. The next full sync stores these persons again. */
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

export function bytesOf(hex: string): RawBuilder<Buffer> {
  return sql`decode(${sql.ref(hex)}, 'hex')`
}
