import { originOf, readCheckpoint } from '../../evidence/log/checkpoint.ts'
import { cosignaturesIn, readWitnessKey } from '../../evidence/log/cosignature.ts'
import { headName, padded } from '../../evidence/log/head.ts'
import { breakName } from '../../evidence/log/head-break.ts'
import { readLockedAnchor } from '../../evidence/log/locked-anchor.ts'
import { verifierKey } from '../../evidence/log/note.ts'
import { type PublicKey, readPublicKey } from '../../evidence/log/signing-key.ts'
import { policyText } from '../../evidence/log/witness-policy.ts'
import { readCosignatures } from '../../evidence/sql/cosignatures.ts'
import { readBreaks } from '../../evidence/sql/head-breaks.ts'
import { readAnchors } from '../../evidence/sql/heads.ts'
import { partsOf } from '../../evidence/stamp/kept-stamp.ts'
import { stampOf } from '../../evidence/stamps-of.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Anchors } from './check-steps.ts'
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
  await addCheckpoint(tx, exporting)
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

/** The newest head's with what witnesses say of it, what verifiers take as its key, and the witnesses. */
async function addCheckpoint(tx: Transaction, exporting: Exporting): Promise<void> {
  const { bundle, heads, account, witnesses } = exporting
  const { number = 0, checkpoint = null, public_key: der } = heads.at(-1) ?? {}
  const key = readPublicKey(der ?? '')
  const state = readCheckpoint(checkpoint ?? '')
  if (checkpoint === null || key === undefined) return
  const cosigned = (await readCosignatures(tx, account, number)).flatMap(({ witness, line }) => {
    const known = readWitnessKey(witness)
    // What is none is left out: a checkpoint with one line that is wrong is believed by nobody.
    return known === undefined ? [] : cosignaturesIn(checkpoint + line, [known])
  })
  await bundle.add('checkpoint', [checkpoint, ...cosigned.map(({ line }) => line)])
  const log = verifierKey(state?.origin ?? originOf(account), key)
  await bundle.add('checkpoint.vkey', [`${log}\n`])
  if (witnesses !== undefined) await bundle.add('witnesses', [policyText(log, witnesses)])
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
