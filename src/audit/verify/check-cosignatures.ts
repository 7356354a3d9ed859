import { cosignaturesIn, readWitnessKey } from '../../evidence/log/cosignature.ts'
import { cosignatureNote } from '../../evidence/log/head.ts'
import { judgeWitnesses, witnessText } from '../../evidence/log/witness-policy.ts'
import type { CosignatureRow } from '../../evidence/sql/cosignatures.ts'
import type { HeadRow } from '../../evidence/sql/heads.ts'
import { readNote } from './check-heads.ts'
import type { Verifying } from './verifying.ts'

/** Checks what witnesses are said to have said of checkpoints, and whether enough said it of the newest. */
export function checkCosignatures(
  { findings, checked, notJudged, witnesses }: Verifying,
  heads: readonly HeadRow[],
  cosigned: readonly CosignatureRow[],
): void {
  const byNumber = new Map(heads.map((head) => [head.number, head.checkpoint]))
  for (const row of cosigned) {
    const key = readWitnessKey(row.witness)
    const checkpoint = byNumber.get(row.number) ?? ''
    checked.cosignatures++
    if (key === undefined || cosignaturesIn(checkpoint + row.line, [key]).length === 0)
      findings.add('cosignature_wrong', whatOf(row), { expected: `one by the key ${row.witness}` })
  }
  const newest = heads.at(-1)
  if (witnesses === undefined || newest === undefined) return
  const own = cosigned.filter(({ number }) => number === newest.number).map(({ line }) => line)
  const judged = judgeWitnesses((newest.checkpoint ?? '') + own.join(''), witnesses)
  if (!judged.enough)
    notJudged.push(
      `Whether the witnesses saw the newest head, and no other log: it is cosigned by ` +
        `${witnessText(judged, witnesses.needed)}.`,
    )
}

/** Compares the cosignatures with the store's notes of them. */
export async function checkCosignatureNotes(
  { findings, store }: Verifying,
  {
    rows: heads,
    cosigned,
    notes,
  }: { rows: readonly HeadRow[]; cosigned: readonly CosignatureRow[]; notes: readonly string[] },
): Promise<void> {
  const kept = new Set(notes)
  const known = new Set<string>()
  for (const row of cosigned) {
    const name = cosignatureNote(row.number, readWitnessKey(row.witness)?.keyId ?? '')
    const what = `the store's note of ${whatOf(row)}`
    known.add(name)
    if (!kept.has(name)) {
      // One of a run that is at work was not listed yet.
      if (row.number < (heads.at(-1)?.number ?? 0)) findings.add('note_missing', what)
      continue
    }
    const { note, fault } = await readNote(store, name)
    if (fault !== undefined) findings.add('note_unreadable', what, { found: fault })
    else if (note !== row.line)
      findings.add('note_differs', what, { expected: row.line.trim(), found: note?.trim() ?? '' })
  }
  const older = new Set(heads.slice(0, -1).map(({ number }) => number))
  for (const name of notes) {
    const [, number = ''] = /^head-(\d{6,15})\.cosignature-[0-9a-f]{8}$/.exec(name) ?? []
    if (older.has(Number(number)) && number !== '' && !known.has(name))
      findings.add('cosignature_missing', `a cosignature for head ${Number(number)}`, {
        expected: `that of the store's note ${name}`,
      })
  }
}

function whatOf({ number, witness }: CosignatureRow): string {
  return `the cosignature of ${witness.split('+', 1)[0]} for head ${number}`
}
