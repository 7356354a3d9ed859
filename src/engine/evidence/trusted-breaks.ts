import { Findings } from '../../evidence/finding.ts'
import { checkBreaks, type HeadBreak } from '../../evidence/head-break.ts'
import { readPublicKey } from '../../evidence/signing-key.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import { type BreakRow, readBreaks } from '../../warehouse/evidence/head-breaks.ts'
import type { EvidenceAccess } from '../run/evidence-access.ts'

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
