import { headName, padded } from '../../evidence/head.ts'
import { breakName } from '../../evidence/head-break.ts'
import { readLockedAnchor } from '../../evidence/locked-anchor.ts'
import type { Anchors } from '../../evidence/readme.ts'
import { type PublicKey, readPublicKey } from '../../evidence/signing-key.ts'
import { partsOf } from '../../evidence/stamps/kept-stamp.ts'
import { logKey } from '../../evidence/tlog/checkpoint.ts'
import type { Transaction } from '../../warehouse/connection/connect.ts'
import { readBreaks } from '../../warehouse/evidence/head-breaks.ts'
import { readAnchors } from '../../warehouse/evidence/heads.ts'
import { stampOf } from '../evidence/stamps-of.ts'
import type { Exporting } from './exporting.ts'

/** Adds the keys, all heads and what others said of them. Answers of these what a reader can ask others. */
export async function addEvidence(tx: Transaction, exporting: Exporting): Promise<Anchors> {
  const { bundle, key, heads, account } = exporting
  await bundle.add('key.pem', [key.publicKey.pem])
  for (const { fingerprint, pem } of keysBefore(exporting))
    await bundle.add(`keys/${fingerprint}.pem`, [pem])
  for (const { number, line, signature } of heads) {
    await bundle.add(headName(number, 'json'), [line])
    await bundle.add(headName(number, 'sig'), [signature], { compress: false })
  }
  await addCheckpoint(exporting)
  for (const { after, upto: to, line, signature } of await readBreaks(tx, account)) {
    await bundle.add(breakName({ after, to }, 'json'), [line])
    await bundle.add(breakName({ after, to }, 'sig'), [signature], { compress: false })
  }
  const byNumber = new Map(heads.map((head) => [head.number, head]))
  const anchors: Anchors = {}
  for (const row of await readAnchors(tx, account)) {
    const { number, kind, token } = row
    if (kind === 'locked_object') {
      if (token === null) continue
      await bundle.add(`anchors/${padded(number)}.txt`, [token], { compress: false })
      anchors.lock = { number, anchor: readLockedAnchor(token.toString()) }
      continue
    }
    const stamp = stampOf(row, byNumber.get(number))
    for (const [name, part] of stamp === undefined ? [] : partsOf(stamp))
      await bundle.add(name, [part])
    if (kind === 'renewal') anchors.renewal = number
    else anchors.stamp = { number, chain: row.chain !== null }
  }
  return anchors
}

/** The newest head's, with what verifiers take as its key. */
async function addCheckpoint({ bundle, heads, account }: Exporting): Promise<void> {
  const { checkpoint = null, public_key: der } = heads.at(-1) ?? {}
  const key = readPublicKey(der ?? '')
  if (checkpoint === null || key === undefined) return
  await bundle.add('checkpoint', [checkpoint])
  await bundle.add('checkpoint.vkey', [`${logKey(account, key)}\n`])
}

/**
 * The keys of before that heads were signed with. The bundle's signature vouches for what is in it, so a key
 * that stands in the database alone is told of and left out: whoever writes there could have made it.
 */
function keysBefore({ key, previousKeys, heads, problems }: Exporting): PublicKey[] {
  const found = new Map<string, PublicKey>()
  const strange = new Set<string>()
  for (const { number, public_key: der } of heads) {
    const read = readPublicKey(der)
    const fingerprint = read?.fingerprint ?? '(unreadable)'
    if (fingerprint === key.publicKey.fingerprint) continue
    if (read !== undefined && previousKeys.includes(fingerprint)) found.set(fingerprint, read)
    else if (!strange.has(fingerprint)) {
      strange.add(fingerprint)
      problems.push(
        `head ${number} is signed by the key ${fingerprint}, which evidence.previousKeys does not name`,
      )
    }
  }
  return [...found.values()]
}
