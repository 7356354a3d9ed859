import { readCheckpoint, stateText } from '../../evidence/log/checkpoint.ts'
import type { Findings } from '../../evidence/log/finding.ts'
import { readLockedAnchor, wrongLock } from '../../evidence/log/locked-anchor.ts'
import type { BundleLog } from './bundle-log.ts'
import type { BundleReader } from './bundle-reader.ts'

/** Returns the notes of time stamps and locks, by size. Reports notes that are no state of the log. */
export async function anchoredNotes(
  bundle: BundleReader,
  { findings, log }: { findings: Findings; log: BundleLog | undefined },
): Promise<Map<number, Buffer>> {
  const notes = new Map<number, Buffer>()
  for (const name of bundle.names()) {
    const [, digits] = /^anchors\/(\d+)\.note$/.exec(name) ?? []
    if (digits === undefined) continue
    const note = (await bundle.readPart(name)) ?? Buffer.alloc(0)
    const state = note.length > MOST_BYTES ? undefined : readCheckpoint(note.toString())
    if (state?.size === Number(digits) && log?.has(stateText(state)) === true)
      notes.set(state.size, note)
    else
      findings.add('anchor_wrong', name, {
        expected: 'a checkpoint of this log',
        found: state === undefined ? 'no valid checkpoint' : stateText(state),
      })
  }
  return notes
}

/** Checks that each lock names exactly the note of its size. Returns the question for the bucket's owner. */
export async function checkLocks(
  bundle: BundleReader,
  { findings, notes }: { findings: Findings; notes: ReadonlyMap<number, Buffer> },
): Promise<string[]> {
  let locks = 0
  for (const name of bundle.names()) {
    const [, digits] = /^anchors\/(\d+)\.txt$/.exec(name) ?? []
    if (digits === undefined) continue
    locks++
    const said = (await bundle.readPart(name)) ?? Buffer.alloc(0)
    const note = notes.get(Number(digits))
    const wrong = wrongLock(readLockedAnchor(said.toString()), note?.toString() ?? '')
    if (wrong !== undefined) findings.add('anchor_wrong', name, wrong)
  }
  return locks === 0
    ? []
    : [
        `Whether a bucket really locks the checkpoints (${locks}): ask its owner, or follow CHECK.txt.`,
      ]
}

/** The maximum size of an anchor's note: several times that of a checkpoint's note. */
const MOST_BYTES = 2 ** 13
