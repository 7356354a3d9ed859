import {
  checkpointNote,
  goesOn,
  isAfter,
  isCheckpointOf,
  originOf,
  type PlaceInLogs,
  placeOf,
  placeOfNote,
  type ReadCheckpoint,
  readCheckpoint,
} from '../../evidence/log/checkpoint.ts'
import { sha256Hex } from '../../evidence/log/digest.ts'
import { readPublicKey } from '../../evidence/log/signing-key.ts'
import type { CheckpointRow } from '../../evidence/sql/checkpoints.ts'
import { faultOfOneFile } from '../../store/one-file.ts'
import type { FileStore } from '../../store/store.ts'
import type { Roots } from './check-tree.ts'
import { inRuns } from './in-runs.ts'
import { Succession } from './succession.ts'
import type { Verifying } from './verifying.ts'

interface Judged {
  row: CheckpointRow
  found: ReadCheckpoint
  /** True if the key in its row signed the checkpoint. */
  signed: boolean
  /** The root computed from the entries. */
  root: Buffer
}

/**
 * Checks that each checkpoint is signed by a valid key, belongs to the account's log, and signs the tree over
 * the entries.
 */
export function checkCheckpoints(
  verifying: Verifying,
  { rows, roots }: { rows: readonly CheckpointRow[]; roots: Roots },
): void {
  const { findings, checked, account } = verifying
  const judged: Judged[] = []
  const succession = new Succession(verifying.keys[0])
  let origin = originOf(account)
  for (const row of rows) {
    checked.checkpoints++
    const found = readCheckpoint(row.note)
    if (found === undefined) {
      findings.add('checkpoint_unreadable', checkpointOver(row), { found: NO_CHECKPOINT })
      continue
    }
    const signed = checkKey(verifying, { row, found }, succession)
    if (!checkPlace(verifying, { row, found }, origin)) continue
    origin = found.origin
    const at = roots.get(row.size)
    if (at === undefined) continue
    const apart = Date.parse(at.said ?? row.at) !== Date.parse(row.at)
    if (apart && found.root.equals(at.root))
      findings.add('checkpoint_wrong', checkpointOver(row), {
        expected: `${at.said}, the time of the last entry that the checkpoint covers`,
        found: row.at,
      })
    judged.push({ row, found, signed, root: at.root })
  }
  checkRoots(verifying, judged)
}

function checkRoots({ findings }: Verifying, judged: readonly Judged[]): void {
  const unfit = judged.filter(({ found, root }) => !found.root.equals(root))
  // If a later checkpoint proves the entries, this earlier one signed another tree.
  const later = judged.findLast((one) => one.signed && !unfit.includes(one))
  const forked = unfit.filter(({ signed, row }) => signed && row.size < (later?.row.size ?? 0))
  for (const { row, root } of forked)
    findings.add('checkpoint_forked', checkpointOver(row), {
      expected:
        `the root ${root.toString('base64')}, because a later checkpoint continues that tree: ` +
        JSON.stringify(later?.row.note),
      found: `a signed checkpoint of another tree: ${JSON.stringify(row.note)}`,
    })
  const wrong = unfit.filter((one) => !forked.includes(one))
  const follows = (one: Judged, next: Judged) => judged.indexOf(one) + 1 === judged.indexOf(next)
  for (const [first, last] of inRuns(wrong, follows))
    findings.add('checkpoint_wrong', checkpointOver(first.row, last.row), {
      expected: `entries whose root is ${first.found.root.toString('base64')}`,
      found: first.root.toString('base64'),
    })
}

/** Returns true if the key in its row signed the checkpoint. Reports wrong signatures and unfit keys. */
function checkKey(
  { findings, keys }: Verifying,
  { row, found }: { row: CheckpointRow; found: ReadCheckpoint },
  succession: Succession,
): boolean {
  const what = checkpointOver(row)
  const key = readPublicKey(row.key)
  const fingerprint = key?.fingerprint ?? 'no valid Ed25519 key'
  const signed = key !== undefined && isCheckpointOf(found, key)
  if (!signed)
    findings.add('signature_wrong', what, {
      expected:
        key === undefined
          ? 'a valid Ed25519 key, and its signature'
          : `a valid signature by the key ${fingerprint}`,
    })
  const trusted = keys.length === 0 || keys.includes(fingerprint)
  const followed = trusted && signed ? succession.instead(fingerprint) : undefined
  if (!trusted)
    findings.add('key_exchanged', what, { expected: keys.join(' or '), found: fingerprint })
  else if (followed !== undefined)
    findings.add('key_exchanged', what, {
      expected: `the key ${followed}, which replaced the other key`,
      found: fingerprint,
    })
  return signed
}

/** Returns true if the note has the log and size of its row and that log continues the previous one. */
function checkPlace(
  { findings }: Verifying,
  { row, found }: { row: CheckpointRow; found: ReadCheckpoint },
  before: string,
): boolean {
  const { origin, size } = row
  if (found.origin === origin && found.size === size && goesOn(origin, before)) return true
  findings.add('checkpoint_wrong', checkpointOver(row), {
    expected: goesOn(origin, before) ? `${origin}, ${size} entries` : `the log ${before}`,
    found: `${found.origin}, ${found.size} entries`,
  })
  return false
}

/** Compares the checkpoints with the store's notes of them. */
export async function checkCheckpointNotes(
  verifying: Verifying,
  rows: readonly CheckpointRow[],
  notes: readonly string[],
): Promise<void> {
  const { findings, store, notJudged } = verifying
  const kept = new Set(notes)
  const known = new Set(rows.map(checkpointNote))
  const newest = rows.at(-1)
  for (const name of [...kept].toSorted()) {
    const place = known.has(name) ? undefined : placeOfNote(name)
    const code = place && lossOf(rows, place)
    if (code !== undefined)
      findings.add(code, `the checkpoint over ${place?.at(-1)} entries`, {
        expected: `this checkpoint, because ${store.place} has a note of it`,
        found:
          newest === undefined
            ? 'no checkpoint in the database'
            : `the database's newest checkpoint covers ${newest.size} entries`,
      })
  }
  for (const row of rows) {
    const what = `the store's note of ${checkpointOver(row)}`
    const name = checkpointNote(row)
    if (!kept.has(name)) {
      if (row !== rows.at(-1)) findings.add('note_missing', what)
      else
        notJudged.push(
          `The note of the newest checkpoint (over ${row.size} entries), which the store does not have yet.`,
        )
      continue
    }
    const expected = sha256Hex(row.note)
    const { note = '', fault } = await readNote(store, name)
    if (fault !== undefined) findings.add('note_unreadable', what, { expected, found: fault })
    else if (note !== row.note) {
      findings.add('note_differs', what, { expected, found: sha256Hex(note) })
      checkSameTree(verifying, row, note)
    }
  }
}

/** Returns the finding's code for a note whose checkpoint the database lacks; undefined after a break. */
function lossOf(rows: readonly CheckpointRow[], place: PlaceInLogs): string | undefined {
  const places = rows.map(placeOf)
  const newest = places.at(-1)
  if (newest === undefined || isAfter(place, newest)) return 'end_cut'
  const before = place.slice(0, -1).join()
  const sizes = places.filter((one) => one.slice(0, -1).join() === before).map((one) => one.at(-1))
  const [size = 0, most = 0] = [place.at(-1), sizes.at(-1)]
  if (size < most) return 'checkpoint_missing'
  // A person with the key entered a break: the log continues under another name without this checkpoint.
  const isLost =
    newest.slice(0, place.length - 1).join() === before && size <= (newest[place.length - 1] ?? 0)
  return isLost ? undefined : 'end_cut'
}

/** Two checkpoints of the same size and key with different roots prove that the key signed two logs. */
function checkSameTree(
  { findings }: Verifying,
  { origin, note: ours, key: der, size }: CheckpointRow,
  note: string,
): void {
  const key = readPublicKey(der)
  const [one, other] = [ours, note]
    .flatMap((text) => readCheckpoint(text) ?? [])
    .filter((found) => found.origin === origin && key && isCheckpointOf(found, key))
  if (one === undefined || other === undefined || one.size !== other.size) return
  if (one.root.equals(other.root)) return
  findings.add('checkpoint_forked', `${checkpointOver({ size })} and the store's note of it`, {
    expected: `a single tree of ${one.size} entries`,
    found: `two trees, signed with the same key: ${JSON.stringify(ours)} and ${JSON.stringify(note)}`,
  })
}

/** The note, or the reason why it cannot be read. */
export async function readNote(
  store: FileStore,
  name: string,
): Promise<{ note?: string | undefined; fault?: string }> {
  try {
    return { note: await store.readNote(name) }
  } catch (error) {
    const fault = faultOfOneFile(error)
    if (fault === undefined) throw error
    return { fault }
  }
}

export function checkpointOver({ size }: { size: number }, last = { size }): string {
  return last.size === size
    ? `the checkpoint over ${size} entries`
    : `the checkpoints over ${size} to ${last.size} entries`
}

const NO_CHECKPOINT = 'not a valid checkpoint (c2sp.org/tlog-checkpoint)'
