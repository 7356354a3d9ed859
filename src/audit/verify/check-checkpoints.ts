import {
  checkpointNote,
  isCheckpointOf,
  originOf,
  type ReadCheckpoint,
  readCheckpoint,
} from '../../evidence/log/checkpoint.ts'
import { sha256Hex } from '../../evidence/log/digest.ts'
import { headNote } from '../../evidence/log/head.ts'
import { readPublicKey } from '../../evidence/log/signing-key.ts'
import type { HeadRow } from '../../evidence/sql/heads.ts'
import { readNote } from './check-heads.ts'
import type { Roots } from './check-tree.ts'
import { inRuns } from './in-runs.ts'
import type { Verifying } from './verifying.ts'

/** A checkpoint of ours by its origin and its size. */
interface Judged {
  number: number
  row: HeadRow
  found: ReadCheckpoint
  /** Whether the head's key signed it. */
  signed: boolean
  /** The root that the entries have. */
  root: Buffer
}

/** Compares the checkpoints with their heads, with the tree over the entries, and with one another. */
export function checkCheckpoints(
  verifying: Verifying,
  { rows, roots }: { rows: readonly HeadRow[]; roots: Roots },
): void {
  const { findings, checked } = verifying
  const judged: Judged[] = []
  for (const row of rows) {
    const what = checkpointOf(row.number)
    if (row.checkpoint !== null) checked.checkpoints++
    else findings.add('checkpoint_missing', what, { expected: 'one, as each head has' })
    const one = judge(verifying, row, roots)
    if (one !== undefined) judged.push(one)
  }
  const unfit = judged.filter(({ found, root }) => !found.root.equals(root))
  // A tree that began with another one could not have the root that a later checkpoint signs.
  const later = judged.findLast((one) => one.signed && !unfit.includes(one))
  const forked = unfit.filter(({ signed, number }) => signed && number < (later?.number ?? 0))
  for (const { number, row, root } of forked)
    findings.add('checkpoint_forked', `the checkpoints of heads ${number} and ${later?.number}`, {
      expected:
        `the root ${root.toString('base64')} of head ${number}, with which the later tree begins: ` +
        JSON.stringify(later?.row.checkpoint),
      found: `a checkpoint of another tree: ${JSON.stringify(row.checkpoint)}`,
    })
  const wrong = unfit.filter((one) => !forked.includes(one))
  for (const [first, last] of inRuns(wrong, (one, next) => one.number + 1 === next.number))
    findings.add('checkpoint_wrong', checkpointOf(first.number, last.number), {
      expected: `entries whose root is ${first.found.root.toString('base64')}`,
      found: first.root.toString('base64'),
    })
}

/** What a checkpoint says of itself; undefined where no more can be said of it. */
function judge(
  { account, findings, breaks }: Verifying,
  row: HeadRow,
  roots: Roots,
): Judged | undefined {
  const { number, checkpoint, last_seq: size, public_key: der } = row
  const what = checkpointOf(number)
  const root = roots.get(size)
  if (checkpoint === null || root === undefined) return undefined
  const found = readCheckpoint(checkpoint)
  if (found === undefined) {
    findings.add('checkpoint_unreadable', what, {
      found: 'not a checkpoint as the standard has them',
    })
    return undefined
  }
  const key = readPublicKey(der)
  const signed = key !== undefined && isCheckpointOf(found, key)
  if (!signed)
    findings.add('signature_wrong', what, {
      expected: `a signature by the key ${key?.fingerprint ?? '(none)'}`,
    })
  const origin = originOf(account, { number, breaks })
  if (found.origin === origin && found.size === size) return { number, row, found, signed, root }
  findings.add('checkpoint_wrong', what, {
    expected: `${origin}, ${size} entries`,
    found: `${found.origin}, ${found.size} entries`,
  })
  return undefined
}

/** Compares the checkpoints with the store's notes of them. */
export async function checkCheckpointNotes(
  verifying: Verifying,
  rows: readonly HeadRow[],
  notes: readonly string[],
): Promise<void> {
  const { findings, store, breaks } = verifying
  const kept = new Set(notes)
  for (const row of rows) {
    const { number, checkpoint, last_seq: size } = row
    const name = checkpointNote({ origin: originOf(verifying.account, { number, breaks }), size })
    const what = `the store's note of ${checkpointOf(number)}`
    const expected = checkpoint === null ? 'none' : sha256Hex(checkpoint)
    if (kept.has(name)) {
      const { note = '', fault } = await readNote(store, name)
      if (fault !== undefined) findings.add('note_unreadable', what, { expected, found: fault })
      else if (note !== checkpoint) {
        findings.add('note_differs', what, { expected, found: sha256Hex(note) })
        checkSameTree(verifying, row, note)
      }
      // It is kept before the head's own note.
    } else if (checkpoint !== null && kept.has(headNote(number, 'json')))
      findings.add('note_missing', what)
  }
}

/** Two checkpoints of one size by one key, of other roots, prove that its holder signed two logs. */
function checkSameTree(
  { account, findings, breaks }: Verifying,
  { number, checkpoint, public_key: der }: HeadRow,
  note: string,
): void {
  const key = readPublicKey(der)
  const origin = originOf(account, { number, breaks })
  const [one, other] = [checkpoint ?? '', note]
    .flatMap((text) => readCheckpoint(text) ?? [])
    .filter((found) => found.origin === origin && key && isCheckpointOf(found, key))
  if (one === undefined || other === undefined || one.size !== other.size) return
  if (one.root.equals(other.root)) return
  findings.add('checkpoint_forked', `${checkpointOf(number)} and the store's note of it`, {
    expected: `one tree of ${one.size} entries`,
    found: `two, signed with the same key: ${JSON.stringify(checkpoint)} and ${JSON.stringify(note)}`,
  })
}

function checkpointOf(number: number, last = number): string {
  return last === number
    ? `the checkpoint of head ${number}`
    : `the checkpoints of heads ${number} to ${last}`
}
