import { headName, padded } from '../../evidence/head.ts'
import { readPublicKey } from '../../evidence/signing-key.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { readAnchors } from '../../warehouse/heads.ts'
import type { Exporting } from './exporting.ts'

/** Adds the keys, all heads and what others said of them. Answers which heads have a time stamp. */
export async function addEvidence(tx: Transaction, exporting: Exporting): Promise<number[]> {
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
  const stamps: number[] = []
  for (const { number, place, token } of await readAnchors(tx, account)) {
    if (token === null) await bundle.add(`anchors/${padded(number)}.txt`, [`locked: ${place}\n`])
    else {
      await bundle.add(`anchors/${padded(number)}.tsr`, [token], { compress: false })
      stamps.push(number)
    }
  }
  return stamps
}
