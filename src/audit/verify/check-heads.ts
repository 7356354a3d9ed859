import { noteNumbers } from '../../evidence/head-notes.ts'
import { headHash, headNote } from '../../evidence/log/head.ts'
import { checkBreaks, type HeadBreak, lostAfter } from '../../evidence/log/head-break.ts'
import { type CheckedHead, checkHeadChain, knownBreaks } from '../../evidence/log/head-chain.ts'
import { readPublicKey } from '../../evidence/log/signing-key.ts'
import type { BreakRow } from '../../evidence/sql/head-breaks.ts'
import type { HeadRow } from '../../evidence/sql/heads.ts'
import { givenBreak } from '../../evidence/trusted-breaks.ts'
import { faultOfOneFile } from '../../store/one-file.ts'
import type { FileStore } from '../../store/store.ts'
import type { Verifying } from './verifying.ts'

/** Checks the heads of the database, and that their columns match their lines. */
export function checkHeads(
  verifying: Verifying,
  rows: readonly HeadRow[],
  broken: readonly BreakRow[],
): CheckedHead[] {
  verifying.breaks = checkBreaks(verifying, broken.map(givenBreak))
  verifying.notJudged.push(...knownBreaks(verifying.breaks))
  const given = rows.map(({ number, line, signature, public_key: key }) => {
    return { number, line, signature, key: readPublicKey(key) }
  })
  const heads = checkHeadChain(verifying, given)
  const byLine = new Map(heads.map((head) => [head.line, head]))
  for (const row of rows) checkRow(verifying, row, byLine.get(row.line))
  verifying.checked.heads = heads.length
  return heads
}

function checkRow({ findings }: Verifying, row: HeadRow, head: CheckedHead | undefined): void {
  if (head === undefined) return
  const what = `head ${row.number}`
  if (head.first !== row.first_seq || head.last !== row.last_seq)
    findings.add('head_changed', what, {
      expected: `entries ${head.first} to ${head.last}, as its line says`,
      found: `entries ${row.first_seq} to ${row.last_seq}`,
    })
  const found = row.hash.toString('hex')
  if (found !== head.hash) findings.add('head_changed', what, { expected: head.hash, found })
}

/** Compares the heads with the store's notes of them. */
export async function checkNotes(
  { findings, store, notJudged, breaks }: Verifying,
  heads: readonly CheckedHead[],
  notes: readonly string[],
): Promise<void> {
  const last = heads.at(-1)?.number ?? 0
  const kept = new Set(noteNumbers(notes))
  for (const number of [...kept].toSorted((a, b) => a - b))
    if (number > last && !isLost(breaks, heads, number))
      findings.add('end_cut', `head ${number}`, {
        expected: `the head that ${store.place} keeps a note of`,
        found: `the database ends with head ${last}`,
      })
  for (const { number, line } of heads) {
    if (!kept.has(number)) {
      if (number < last) findings.add('note_missing', `the store's note of head ${number}`)
      else notJudged.push(`The store has no note of the newest head, ${number}, yet.`)
      continue
    }
    const what = `the store's note of head ${number}`
    const expected = headHash(line)
    const { note, fault } = await readNote(store, headNote(number, 'json'))
    if (fault !== undefined) findings.add('note_unreadable', what, { expected, found: fault })
    else if (note !== line)
      findings.add('note_differs', what, { expected, found: headHash(note ?? '') })
  }
}

/** A key holder has stated that it is lost, with the chain as it stands here. */
function isLost(
  breaks: readonly HeadBreak[],
  heads: readonly CheckedHead[],
  number: number,
): boolean {
  return number <= lostAfter(breaks, heads.at(-1))
}

/** The note, or the reason why this note cannot be read. */
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
