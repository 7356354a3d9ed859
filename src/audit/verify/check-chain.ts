import { NOTHING_BEFORE } from '../../evidence/log/digest.ts'
import { type Entry, entryHash, readEntry } from '../../evidence/log/entry.ts'
import type { CheckedHead } from '../../evidence/log/head-chain.ts'
import { leafHash, MerkleRoot } from '../../evidence/log/merkle.ts'
import { type EntryRow, entriesBySeq, saltsAfter } from '../../evidence/sql/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { TreeCheck } from './check-tree.ts'
import type { Verifying } from './verifying.ts'

/**
 * Checks that each entry follows the one before, and that each head covers exactly its entries. The check of
 * the tree over all of them is given what it needs on the way.
 */
export async function checkChain(
  tx: Transaction,
  verifying: Verifying,
  { heads, whole }: { heads: readonly CheckedHead[]; whole: TreeCheck },
): Promise<void> {
  const { account, checked, notJudged } = verifying
  const batches = heads[Symbol.iterator]()
  let batch = batches.next().value
  let tree = new MerkleRoot()
  let before = { seq: 0, hash: NOTHING_BEFORE }
  const all = { from: 1, to: Number.MAX_SAFE_INTEGER }
  for await (const row of entriesBySeq(tx, account, all)) {
    while (batch !== undefined && row.seq > batch.last) {
      checkBatch(verifying, batch, { tree, before })
      batch = batches.next().value
      tree = new MerkleRoot()
    }
    checkEntry(verifying, row, before)
    const leaf = leafHash(row.line)
    tree.add(leaf)
    await whole.add(row.seq, leaf)
    before = { seq: row.seq, hash: entryHash(row.line) }
    checked.entries++
  }
  for (; batch !== undefined; batch = batches.next().value) {
    checkBatch(verifying, batch, { tree, before })
    tree = new MerkleRoot()
  }
  const signed = heads.at(-1)?.last ?? 0
  for (const { seq } of await saltsAfter(tx, account, Math.max(before.seq, signed)))
    verifying.findings.add('entry_missing', `entry ${seq}`, { found: 'its salt alone' })
  if (before.seq <= signed) return
  notJudged.push(
    `Entries ${signed + 1} to ${before.seq} stand under no head yet; the next run signs them.`,
  )
}

function checkEntry(
  { account, findings }: Verifying,
  row: EntryRow,
  before: { seq: number; hash: string },
): void {
  const what = `entry ${row.seq} (${row.named})`
  if (row.seq !== before.seq + 1)
    findings.add('entry_missing', range(before.seq + 1, row.seq - 1), { found: 'no such entry' })
  const entry = readEntry(row.line)
  if (entry === undefined) {
    findings.add('entry_changed', what, { found: 'not a line that this program writes' })
    return
  }
  const hash = entryHash(row.line)
  if (row.hash.toString('hex') !== hash)
    findings.add('entry_changed', what, { expected: row.hash.toString('hex'), found: hash })
  if (entry.account !== account)
    findings.add('other_account', what, { expected: account, found: entry.account })
  if (!isOf(row, entry))
    findings.add('entry_changed', what, {
      expected: `entry ${entry.seq}, ${entry.kind} of ${entry.subject}, as its line says`,
      found: `entry ${row.seq}, ${row.kind} of ${row.named}`,
    })
  if (entry.prev !== before.hash)
    findings.add('chain_broken', what, { expected: before.hash, found: entry.prev })
}

function isOf(row: EntryRow, { seq, kind, subject }: Entry): boolean {
  return row.seq === seq && row.kind === kind && row.named === subject
}

function checkBatch(
  { findings }: Verifying,
  head: CheckedHead,
  { tree, before }: { tree: MerkleRoot; before: { seq: number; hash: string } },
): void {
  const what = `head ${head.number}`
  if (before.seq < head.last)
    findings.add('entry_missing', range(Math.max(before.seq + 1, head.first), head.last), {
      expected: `the entries of ${what}`,
      found: `the manifest ends with entry ${before.seq}`,
    })
  const root = tree.root().toString('hex')
  if (root !== head.root)
    findings.add('root_wrong', `the entries ${head.first} to ${head.last} of ${what}`, {
      expected: head.root,
      found: root,
    })
  if (before.seq === head.last && before.hash !== head.last_entry)
    findings.add('root_wrong', `entry ${head.last}, the last of ${what}`, {
      expected: head.last_entry,
      found: before.hash,
    })
}

function range(from: number, to: number): string {
  return from === to ? `entry ${from}` : `entries ${from} to ${to}`
}
