import { headName, padded } from '../../evidence/head.ts'
import { readLockedAnchor } from '../../evidence/locked-anchor.ts'
import type { Anchors } from '../../evidence/readme.ts'
import { readPublicKey } from '../../evidence/signing-key.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { readAnchors } from '../../warehouse/heads.ts'
import type { Exporting } from './exporting.ts'

/** Adds the keys, all heads and what others said of them. Answers of these what a reader can ask others. */
export async function addEvidence(tx: Transaction, exporting: Exporting): Promise<Anchors> {
  const { bundle, key, heads, account } = exporting
  await bundle.add('key.pem', [key.publicKey.pem])
  const before = new Map(
    heads.flatMap(({ public_key: der }) => {
      const read = readPublicKey(der)
      return read === undefined || read.fingerprint === key.publicKey.fingerprint
        ? []
        : [[read.fingerprint, read.pem] as const]
    }),
  )
  for (const [fingerprint, pem] of before) await bundle.add(`keys/${fingerprint}.pem`, [pem])
  for (const { number, line, signature } of heads) {
    await bundle.add(headName(number, 'json'), [line])
    await bundle.add(headName(number, 'sig'), [signature], { compress: false })
  }
  const anchors: Anchors = {}
  for (const { number, kind, token } of await readAnchors(tx, account)) {
    if (token === null) continue
    const stamped = kind === 'rfc3161'
    await bundle.add(`anchors/${padded(number)}.${stamped ? 'tsr' : 'txt'}`, [token], {
      compress: false,
    })
    if (stamped) anchors.stamp = number
    else anchors.lock = { number, anchor: readLockedAnchor(token.toString()) }
  }
  return anchors
}
