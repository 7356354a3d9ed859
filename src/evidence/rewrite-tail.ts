import { CallsheetError } from '../core/errors.ts'
import type { Transaction } from '../warehouse/connect.ts'
import type { Voucher } from './add-entries.ts'
import { NOTHING_BEFORE } from './log/digest.ts'
import { type Entry, entryHash, entryLine, readEntry } from './log/entry.ts'
import { warrant } from './log/warrant.ts'
import { lastCheckpoint } from './sql/checkpoints.ts'
import { type EntryRow, entriesBySeq, lastEntry, type ManifestRow } from './sql/manifest.ts'
import { insertEntries, type NewEntry } from './sql/new-entries.ts'
import { holdTail, takeTail } from './sql/unsigned-tail.ts'
import { explainedRanges, inRanges } from './unexplained.ts'
import { insertWarrant } from './warrants.ts'

type Vouching = Voucher & { account: string }

interface Kept {
  entry: Entry
  salt: Buffer | null
  /** True if a key holder vouched for it in its earlier form. */
  explained: boolean
}

/**
 * Removes entries that no checkpoint covers, and adds the later ones again, while other writers are locked
 * out. Vouches again only for entries that were vouched for: those added after a person looked still need an
 * explanation. Throws if an entry to be removed or kept has changed since the person looked.
 */
export async function rewriteTail(
  tx: Transaction,
  vouching: Vouching,
  without: readonly ManifestRow[],
): Promise<void> {
  const [first] = without
  if (first === undefined) return
  const { account, key, basis } = vouching
  await holdTail(tx)
  const kept = await readKept(tx, vouching, { from: first.seq, without })
  await takeTail(tx, account, first.seq)
  const { added, warranted } = continued(kept, await lastEntry(tx, account))
  if (added.length === 0) return
  await insertEntries(tx, account, added)
  for (const { hash, ...range } of warranted) {
    const signature = warrant(key, { account, ...range, hash, basis })
    await insertWarrant(tx, account, { ...range, basis, signature })
  }
}

async function readKept(
  tx: Transaction,
  { account, key }: Vouching,
  { from, without }: { from: number; without: readonly ManifestRow[] },
): Promise<Kept[]> {
  const after = (await lastCheckpoint(tx, account))?.size ?? 0
  if (from <= after) throw changed(from, 'a checkpoint was signed over it')
  const ranges = await explainedRanges(tx, account, { after, keys: [key.publicKey] })
  const explains = inRanges(ranges)
  const deleted = new Map(without.map(({ seq, line }) => [seq, line]))
  const kept: Kept[] = []
  const tail = { from, to: Number.MAX_SAFE_INTEGER }
  for await (const row of entriesBySeq(tx, account, tail)) {
    const { seq, line, salt } = row
    const expected = deleted.get(seq)
    if (expected === line) deleted.delete(seq)
    else if (expected !== undefined) throw changed(seq, 'another stands in its place')
    else {
      const explained = explains(seq)
      kept.push({ entry: entryOf(account, row), salt, explained })
    }
  }
  for (const seq of deleted.keys()) throw changed(seq, 'it is not there')
  return kept
}

/**
 * Throws if an entry cannot be added again unchanged: it would be lost silently, or signed as another one.
 */
function entryOf(account: string, { seq, line, kind, named }: EntryRow): Entry {
  const entry = readEntry(line)
  if (entry === undefined) throw changed(seq, 'its line cannot be read')
  if (entry.account !== account || entry.seq !== seq)
    throw changed(seq, 'its line is that of another entry')
  if (entry.kind !== kind || entry.subject !== named)
    throw changed(seq, 'its line says another thing than its row')
  return entry
}

function continued(kept: readonly Kept[], before: { seq: number; hash: Buffer } | undefined) {
  let seq = before?.seq ?? 0
  let prev = before?.hash.toString('hex') ?? NOTHING_BEFORE
  const added: NewEntry[] = []
  const warranted: { first: number; last: number; hash: string }[] = []
  for (const { entry, salt, explained } of kept) {
    seq++
    const line = entryLine({ ...entry, seq, prev })
    prev = entryHash(line)
    const { kind, subject } = entry
    added.push({ seq, kind, subject, line, hash: prev, salt: salt?.toString('hex') ?? null })
    const range = warranted.at(-1)
    if (explained && range?.last === seq - 1) Object.assign(range, { last: seq, hash: prev })
    else if (explained) warranted.push({ first: seq, last: seq, hash: prev })
  }
  return { added, warranted }
}

function changed(seq: number, came: string): CallsheetError {
  return new CallsheetError('entry_unfit', {
    tried: `Taking entries out of the manifest, and entering anew what follows, up to entry ${seq}`,
    expected: 'each entry as it was looked at, whole, and under no checkpoint',
    came: `of entry ${seq}: ${came}`,
    todo: 'nothing was changed; look again, and find out with callsheet verify who wrote there',
  })
}
