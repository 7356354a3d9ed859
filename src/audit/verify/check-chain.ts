import { NOTHING_BEFORE } from '../../evidence/log/digest.ts'
import { type Entry, entryHash, nameOfSubject, readEntry } from '../../evidence/log/entry.ts'
import { leafHash } from '../../evidence/log/merkle.ts'
import { entriesBySeq, type ManifestRow } from '../../evidence/sql/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { TreeCheck } from './check-tree.ts'
import type { Verifying } from './verifying.ts'

/**
 * Checks that each entry follows the previous one without a gap, at least up to the signed size, and that its
 * row has the subject that its line names or commits to. Passes each leaf to the check of the tree.
 */
export async function checkChain(
  tx: Transaction,
  verifying: Verifying,
  { signed, tree }: { signed: number; tree: TreeCheck },
): Promise<void> {
  const { account, checked, findings, notJudged } = verifying
  let before = { seq: 0, hash: NOTHING_BEFORE }
  const all = { from: 1, to: Number.MAX_SAFE_INTEGER }
  for await (const row of entriesBySeq(tx, account, all)) {
    const entry = checkEntry(verifying, row, before)
    await tree.add(row.seq, leafHash(row.line), entry?.at)
    before = { seq: row.seq, hash: entryHash(row.line) }
    checked.entries++
  }
  if (before.seq < signed)
    findings.add('entry_missing', range(before.seq + 1, signed), {
      expected: 'all entries that the newest checkpoint covers',
      found: `the log ends with entry ${before.seq}`,
    })
  if (before.seq <= signed) return
  notJudged.push(
    `Entries ${signed + 1} to ${before.seq}: no checkpoint covers them yet; the next run signs one.`,
  )
}

function checkEntry(
  { account, findings }: Verifying,
  row: ManifestRow,
  before: { seq: number; hash: string },
): Entry | undefined {
  const what = `entry ${row.seq} (${row.named})`
  if (row.seq !== before.seq + 1)
    findings.add('entry_missing', range(before.seq + 1, row.seq - 1), { found: 'no such entry' })
  if (!isAbout(row))
    findings.add('subject_wrong', what, {
      expected: "the subject whose commitment is in the entry's line",
      found: `${row.subject}, which has another commitment`,
    })
  const entry = readEntry(row.line)
  if (entry === undefined) {
    findings.add('entry_changed', what, { found: 'a malformed line' })
    return undefined
  }
  if (entry.account !== account)
    findings.add('other_account', what, { expected: account, found: entry.account })
  if (!isOf(row, entry))
    findings.add('entry_changed', what, {
      expected: `entry ${entry.seq}, ${entry.kind} of ${entry.subject}, according to its line`,
      found: `entry ${row.seq}, ${row.kind} of ${row.named}`,
    })
  if (entry.prev !== before.hash)
    findings.add('chain_broken', what, { expected: before.hash, found: entry.prev })
  return entry
}

function isAbout({ named, subject, subjectSalt: salt }: ManifestRow): boolean {
  return named === (salt === null ? subject : nameOfSubject(subject, salt))
}

function isOf(row: ManifestRow, { seq, kind, subject }: Entry): boolean {
  return row.seq === seq && row.kind === kind && row.named === subject
}

function range(from: number, to: number): string {
  return from === to ? `entry ${from}` : `entries ${from} to ${to}`
}
