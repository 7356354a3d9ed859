import {
  isSignedBy,
  type PublicKey,
  readPublicKey,
  type SigningKey,
} from '../evidence/log/signing-key.ts'
import { checkpointKeys } from '../evidence/sql/checkpoints.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { listedSuppressions, type Suppressed } from './sql/suppressions.ts'

/** Makes the proof that one of our erasures put an identity on the suppression list. */
export function proveSuppressed(key: SigningKey, account: string, one: Suppressed): Buffer {
  return key.sign(textOf(account, one))
}

/**
 * Returns identities on the suppression list without a proof by one of our keys. Somebody with write access
 * to the table may have added such a row to exclude a person from every sync without a recorded erasure.
 */
export async function unprovenSuppressions(
  tx: Transaction,
  account: string,
  { ownKey, keys }: { ownKey: PublicKey | undefined; keys: readonly string[] },
): Promise<Suppressed[]> {
  const borne = (await checkpointKeys(tx, account)).flatMap((der) => readPublicKey(der) ?? [])
  // Previous keys count too while they are trusted, so that earlier erasures stay valid.
  const before = borne.filter(({ fingerprint }) => keys.length === 0 || keys.includes(fingerprint))
  const believed = ownKey === undefined ? before : [ownKey, ...before]
  const listed = await listedSuppressions(tx, account)
  return listed.flatMap(({ proof, ...one }) => {
    const text = textOf(account, one)
    const proven = proof !== null && believed.some((key) => isSignedBy(key, text, proof))
    return proven ? [] : [one]
  })
}

/** Counts identities by request, without naming anybody. */
export function countByRequest(unproven: readonly Suppressed[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { requestId } of unproven) counts.set(requestId, (counts.get(requestId) ?? 0) + 1)
  return counts
}

function textOf(account: string, { token, counts, requestId }: Suppressed): string {
  return JSON.stringify(['callsheet suppression', account, token, counts, requestId])
}
