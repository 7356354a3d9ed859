import type { Transaction } from '../warehouse/connect.ts'
import type { EvidenceAccess } from './log/evidence-access.ts'
import { Findings } from './log/finding.ts'
import { checkBreaks, type HeadBreak } from './log/head-break.ts'
import { readPublicKey } from './log/signing-key.ts'
import { type BreakRow, readBreaks } from './sql/head-breaks.ts'

/** The breaks that a key of ours signed: the holder of another key can state none. */
export async function trustedBreaks(
  tx: Transaction,
  account: string,
  { key, previousKeys }: Pick<EvidenceAccess, 'key' | 'previousKeys'>,
): Promise<HeadBreak[]> {
  const keys = [key.publicKey.fingerprint, ...previousKeys]
  const rows = await readBreaks(tx, account)
  return checkBreaks({ account, keys, findings: new Findings() }, rows.map(givenBreak))
}

export function givenBreak({ line, signature, public_key: key }: BreakRow) {
  return { line, signature, key: readPublicKey(key) }
}
