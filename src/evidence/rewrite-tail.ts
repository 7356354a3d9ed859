import { CallsheetError } from '../core/errors.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { type Voucher, vouched } from './add-entries.ts'
import { NOTHING_BEFORE } from './log/digest.ts'
import { type Entry, entryHash, entryLine, readEntry } from './log/entry.ts'
import { lastCheckpoint } from './sql/checkpoints.ts'
import { entriesBySeq, lastEntry, type ManifestRow } from './sql/manifest.ts'
import { insertEntries, type NewEntry } from './sql/new-entries.ts'
import { holdTail, takeTail } from './sql/unsigned-tail.ts'
import { explainedBy } from './unexplained.ts'

type Vouching = Voucher & { account: string }

interface Kept {
  entry: Entry
  row: ManifestRow
  /** True if the key vouched for the entry, or a person accepted it, before the rewrite. */
  explained: boolean
}

/**
 * Removes entries that no checkpoint covers, and adds the later ones again, while other writers are locked
 * out. Vouches only for entries that were explained before: entries added after a person looked still need an
 * explanation. Throws if a checkpoint now covers an entry to be removed, if such an entry has changed since
 * then, or if the line of a later entry is unreadable or disagrees with its row.
 */
export async function rewriteTail(
  tx: Transaction,
  vouching: Vouching,
  without: readonly ManifestRow[],
): Promise<void> {
  const [first] = without
  if (first === undefined) return
  const { account } = vouching
  await holdTail(tx)
  const kept = await readKept(tx, vouching, { from: first.seq, without })
  await takeTail(tx, account, first.seq)
  const added = continued(vouching, kept, await lastEntry(tx, account))
  if (added.length > 0) await insertEntries(tx, account, added)
}

async function readKept(
  tx: Transaction,
  { account, key }: Vouching,
  { from, without }: { from: number; without: readonly ManifestRow[] },
): Promise<Kept[]> {
  const after = (await lastCheckpoint(tx, account))?.size ?? 0
  if (from <= after) throw changed(from, 'is covered by a checkpoint now')
  const isExplained = await explainedBy(tx, account, [key.publicKey])
  const deleted = new Map(without.map(({ seq, line }) => [seq, line]))
  const kept: Kept[] = []
  const tail = { from, to: Number.MAX_SAFE_INTEGER }
  for await (const row of entriesBySeq(tx, account, tail)) {
    const { seq, line } = row
    const expected = deleted.get(seq)
    if (expected === line) deleted.delete(seq)
    else if (expected !== undefined) throw changed(seq, 'was replaced by another one')
    else kept.push({ entry: entryOf(account, row), row, explained: isExplained(row) })
  }
  for (const seq of deleted.keys()) throw changed(seq, 'no longer exists')
  return kept
}

/**
 * Throws if an entry cannot be added again unchanged. It would otherwise be lost silently, or be signed as a
 * different entry.
 */
function entryOf(account: string, { seq, line, kind, named }: ManifestRow): Entry {
  const entry = readEntry(line)
  if (entry === undefined) throw changed(seq, 'has a line that cannot be read')
  if (entry.account !== account || entry.seq !== seq)
    throw changed(seq, 'has the line of another entry')
  if (entry.kind !== kind || entry.subject !== named)
    throw changed(seq, 'has a line that differs from its row')
  return entry
}

function continued(
  { account, ...voucher }: Vouching,
  kept: readonly Kept[],
  before: { seq: number; hash: Buffer } | undefined,
): NewEntry[] {
  let seq = before?.seq ?? 0
  let prev = before?.hash.toString('hex') ?? NOTHING_BEFORE
  return kept.map(({ entry, row, explained }): NewEntry => {
    seq++
    const line = entryLine({ ...entry, seq, prev })
    prev = entryHash(line)
    const { salt, subject, subjectSalt, named } = row
    return {
      seq,
      kind: entry.kind,
      subject: named,
      line,
      salt: salt?.toString('hex') ?? null,
      about: subject === named ? null : subject,
      about_salt: subjectSalt?.toString('hex') ?? null,
      ...vouched(account, prev, explained ? voucher : undefined),
    }
  })
}

function changed(seq: number, came: string): CallsheetError {
  return new CallsheetError('entry_changed', {
    tried: 'Removing unexplained entries from the manifest and renumbering the entries after them',
    came: `entry ${seq} ${came}; nothing was changed`,
    todo: 'run callsheet audit unexplained again, and callsheet verify to see what differs',
  })
}
