import { counted } from '../../core/values/quantities.ts'
import { readCheckpoint, stateText } from '../../evidence/log/checkpoint.ts'
import { cosignaturesIn, readWitnessKey } from '../../evidence/log/cosignature.ts'
import { readLockedAnchor } from '../../evidence/log/locked-anchor.ts'
import { verifierKey } from '../../evidence/log/note.ts'
import { readPublicKey } from '../../evidence/log/signing-key.ts'
import { isConsistent } from '../../evidence/log/tile-proofs.ts'
import { policyText } from '../../evidence/log/witness-policy.ts'
import { readCheckpoints } from '../../evidence/sql/checkpoints.ts'
import { readMarks } from '../../evidence/sql/marks.ts'
import { proofsOf } from '../../evidence/sql/proofs-of.ts'
import { stampName } from '../../evidence/stamp/check-stamps.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Anchors } from './check-steps.ts'
import type { Exporting } from './exporting.ts'

/**
 * Adds the key, the checkpoint, older states, time stamps and locks. Returns the newest time stamp and lock.
 */
export async function addEvidence(tx: Transaction, exporting: Exporting): Promise<Anchors> {
  await exporting.bundle.add('key.pem', [exporting.key.publicKey.pem])
  await addCheckpoint(tx, exporting)
  return await addAnchors(tx, exporting, await addOlder(tx, exporting))
}

/** Adds the checkpoint with its cosignatures, the verifier key of a trusted key, and any witness policy. */
async function addCheckpoint(tx: Transaction, exporting: Exporting): Promise<void> {
  const { bundle, log, account, witnesses, problems } = exporting
  const { note, key: der, size } = log
  const marks = await readMarks(tx, account, { from: size })
  const cosigned = marks.flatMap((mark) => {
    const own = mark.kind === 'cosignature' && mark.note === note
    const known = own ? readWitnessKey(mark.who) : undefined
    // Omits invalid cosignatures: verifiers reject a checkpoint if a single signature line is wrong.
    return known === undefined ? [] : cosignaturesIn(note + mark.body.toString(), [known])
  })
  await bundle.add('checkpoint', [note, ...cosigned.map(({ line }) => line)])
  const signer = readPublicKey(der)
  const ours = [exporting.key.publicKey.fingerprint, ...exporting.previousKeys]
  const known = signer !== undefined && ours.includes(signer.fingerprint)
  if (!known)
    // Anyone who can write to the tables could have added this key, so the bundle must not vouch for it.
    problems.push(
      `the checkpoint was signed by an unknown key, ${signer?.fingerprint ?? '(unreadable)'}: if it is ` +
        'yours, add it to evidence.previousKeys',
    )
  const key = verifierKey(log.origin, known ? signer : exporting.key.publicKey)
  await bundle.add('checkpoint.vkey', [`${key}\n`])
  if (witnesses !== undefined) await bundle.add('witnesses', [policyText(key, witnesses)])
}

/** Adds older states with proofs that the log continues them. Returns their notes and the newest, by size. */
async function addOlder(tx: Transaction, exporting: Exporting): Promise<Map<number, string>> {
  const { account, bundle, log, problems } = exporting
  const notes = new Map([[log.size, log.note]])
  const rows = (await readCheckpoints(tx, account)).filter(({ size }) => size < log.size)
  const proofs = proofsOf(tx, account)
  const unproven: number[] = []
  const lines = async function* (): AsyncGenerator<string> {
    for (const { note, size } of rows) {
      const state = readCheckpoint(note)
      const proof = state && (await proofs.consistency(state.size, log.size))
      if (state === undefined || proof === undefined) continue
      if (!isConsistent(state, log, proof)) unproven.push(size)
      else {
        notes.set(size, note)
        const hashes = proof.map((hash) => hash.toString('base64'))
        yield `${JSON.stringify({ checkpoint: stateText(state), proof: hashes })}\n`
      }
    }
  }
  await bundle.add('older.ndjson', lines())
  if (unproven.length > 0)
    problems.push(
      `the log does not contain ${counted(unproven.length, 'older checkpoint')} (first: over ` +
        `${unproven[0]} entries): run callsheet verify to see what differs`,
    )
  return notes
}

/** Adds time stamps and locks, with the notes that they cover. */
async function addAnchors(
  tx: Transaction,
  { account, bundle }: Exporting,
  notes: ReadonlyMap<number, string>,
): Promise<Anchors> {
  const anchors: Anchors = {}
  const noted = new Set<number>()
  for (const { size, kind, body: token, chain, note } of await readMarks(tx, account)) {
    if (kind === 'cosignature' || note === null || notes.get(size) !== note) continue
    const name = stampName(size)
    if (!noted.has(size)) await bundle.add(`${name}.note`, [note])
    noted.add(size)
    if (kind === 'lock') {
      await bundle.add(`${name}.txt`, [token], { compress: false })
      anchors.lock = { size, anchor: readLockedAnchor(token.toString()) }
    } else {
      await bundle.add(`${name}.tsr`, [token])
      if (chain !== null) await bundle.add(`${name}.pem`, [chain])
      anchors.stamp = { size, chain: chain !== null }
    }
  }
  return anchors
}
