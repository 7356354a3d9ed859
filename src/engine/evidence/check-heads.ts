import { NOTHING_BEFORE } from '../../evidence/digest.ts'
import { type Head, headHash, headNote, readHead } from '../../evidence/head.ts'
import { isSignedBy, readPublicKey } from '../../evidence/signing-key.ts'
import type { HeadRow } from '../../warehouse/heads.ts'
import { noteNumbers } from './head-notes.ts'
import type { Verifying } from './verifying.ts'

/** A head of the database that could be read. */
export interface CheckedHead extends Head {
  hash: string
  line: string
}

/** Checks that each head follows the one before and is signed by a key that is believed. */
export function checkHeads(verifying: Verifying, rows: readonly HeadRow[]): CheckedHead[] {
  const { findings, checked } = verifying
  const heads: CheckedHead[] = []
  let before: CheckedHead | undefined
  for (const row of rows) {
    const head = readHead(row.line)
    const what = `head ${row.number}`
    const due = (before?.number ?? 0) + 1
    if (row.number !== due)
      findings.add('head_missing', `head ${due}`, { found: `head ${row.number} follows` })
    if (head === undefined) {
      findings.add('head_unreadable', what, { found: 'not a line that this program writes' })
      continue
    }
    const hash = headHash(row.line)
    checkRow(verifying, { row, head, hash })
    checkSequence(verifying, head, before)
    checkSignature(verifying, row, head)
    before = { ...head, hash, line: row.line }
    heads.push(before)
    checked.heads++
  }
  return heads
}

function checkRow(
  { findings, account }: Verifying,
  { row, head, hash }: { row: HeadRow; head: Head; hash: string },
): void {
  const what = `head ${row.number}`
  if (head.account !== account)
    findings.add('other_account', what, { expected: account, found: head.account })
  if (head.number !== row.number || head.first !== row.first_seq || head.last !== row.last_seq)
    findings.add('head_changed', what, {
      expected: `head ${head.number}, entries ${head.first} to ${head.last}, as its line says`,
      found: `head ${row.number}, entries ${row.first_seq} to ${row.last_seq}`,
    })
  if (row.hash.toString('hex') !== hash)
    findings.add('head_changed', what, { expected: row.hash.toString('hex'), found: hash })
}

function checkSequence({ findings }: Verifying, head: Head, before: CheckedHead | undefined): void {
  const what = `head ${head.number}`
  const expected = before?.hash ?? NOTHING_BEFORE
  if (head.prev_head !== expected)
    findings.add('head_chain_broken', what, { expected, found: head.prev_head })
  const first = (before?.last ?? 0) + 1
  if (head.first !== first || head.last < head.first)
    findings.add('head_chain_broken', what, {
      expected: `a batch that begins with entry ${first}`,
      found: `entries ${head.first} to ${head.last}`,
    })
}

function checkSignature({ findings, keys }: Verifying, row: HeadRow, head: Head): void {
  const what = `head ${row.number}`
  const key = readPublicKey(row.public_key)
  const fingerprint = key?.fingerprint ?? 'no Ed25519 key'
  if (fingerprint !== head.key)
    findings.add('key_exchanged', what, { expected: head.key, found: fingerprint })
  else if (keys.length > 0 && !keys.includes(fingerprint))
    findings.add('key_exchanged', what, { expected: keys.join(' or '), found: fingerprint })
  if (key === undefined || !isSignedBy(key, row.line, row.signature))
    findings.add('signature_wrong', what, { expected: `a signature by the key ${head.key}` })
}

/** Compares the heads with the notes that the store keeps of them. */
export async function checkNotes(
  { findings, store, notJudged }: Verifying,
  heads: readonly CheckedHead[],
  notes: readonly string[],
): Promise<void> {
  const last = heads.at(-1)?.number ?? 0
  const kept = new Set(noteNumbers(notes))
  for (const number of [...kept].toSorted((a, b) => a - b))
    if (number > last)
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
    const note = (await store.readNote(headNote(number, 'json'))) ?? ''
    if (note === line) continue
    findings.add('note_differs', `the store's note of head ${number}`, {
      expected: headHash(line),
      found: headHash(note),
    })
  }
}
