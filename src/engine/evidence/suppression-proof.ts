import {
  isSignedBy,
  type PublicKey,
  readPublicKey,
  type SigningKey,
} from '../../evidence/signing-key.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import { listedSuppressions, type Suppressed } from '../../warehouse/erasure/listed-suppressions.ts'
import { headKeys } from '../../warehouse/evidence/heads.ts'

/** What stands beside an identity on the list of whom no sync keeps: that an erasure of ours put it there. */
export function proveSuppressed(key: SigningKey, account: string, one: Suppressed): Buffer {
  return key.sign(textOf(account, one))
}

/**
 * Whom the account keeps out without anybody showing that they had a key of ours: such a row may have been
 * written by whoever may write the table, so that somebody is missing from every sync and no erasure says so.
 */
export async function unprovenSuppressions(
  tx: Transaction,
  account: string,
  { ownKey, keys }: { ownKey: PublicKey | undefined; keys: readonly string[] },
): Promise<Suppressed[]> {
  const borne = (await headKeys(tx, account)).flatMap((der) => readPublicKey(der) ?? [])
  // Those of before count as well, while they are believed: who was erased long ago stays so.
  const before = borne.filter(({ fingerprint }) => keys.length === 0 || keys.includes(fingerprint))
  const believed = ownKey === undefined ? before : [ownKey, ...before]
  const listed = await listedSuppressions(tx, account)
  return listed.flatMap(({ proof, ...one }) => {
    const text = textOf(account, one)
    const proven = proof !== null && believed.some((key) => isSignedBy(key, text, proof))
    return proven ? [] : [one]
  })
}

/** How many of each request, in words that name nobody. */
export function bySuppressingRequest(unproven: readonly Suppressed[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { requestId } of unproven) counts.set(requestId, (counts.get(requestId) ?? 0) + 1)
  return counts
}

function textOf(account: string, { token, counts, requestId }: Suppressed): string {
  return JSON.stringify(['callsheet suppression', account, token, counts, requestId])
}
