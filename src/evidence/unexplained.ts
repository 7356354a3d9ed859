import type { Transaction } from '../warehouse/connect.ts'
import { entryHash, readEntry } from './log/entry.ts'
import { type PublicKey, readPublicKey } from './log/signing-key.ts'
import { isWarrantedBy } from './log/warrant.ts'
import { entriesBySeq, type ManifestRow, readingEntries } from './sql/manifest.ts'
import { warrantsAfter } from './warrants.ts'

/**
 * The keys that may vouch for entries that no checkpoint covers: the current key and, until it has signed a
 * checkpoint, the key of the newest checkpoint if that is one of ours.
 */
export function wordKeys(
  key: PublicKey,
  ours: readonly string[],
  newest: { key: Buffer } | undefined,
): PublicKey[] {
  const before = newest && readPublicKey(newest.key)
  return before !== undefined && ours.includes(before.fingerprint) ? [key, before] : [key]
}

/**
 * Entries after a number that need a warrant but have none from these keys. Anyone with write access to the
 * tables may have added them. No checkpoint may cover them, and they explain nothing.
 */
export async function unexplainedEntries(
  tx: Transaction,
  account: string,
  { after, keys }: { after: number; keys: readonly PublicKey[] },
): Promise<ManifestRow[]> {
  const taking = await readingEntries(tx, account, after)
  if (taking.length === 0) return []
  const ranges = await explainedRanges(tx, account, { after, keys })
  const explained = inRanges(ranges)
  return taking.filter(({ seq }) => !explained(seq))
}

/** Returns whether a number is in one of the ranges. Call it with ascending numbers. */
export function inRanges(
  ranges: readonly { first: number; last: number }[],
): (seq: number) => boolean {
  const sorted = ranges.toSorted((a, b) => a.first - b.first)
  let at = 0
  let reached = 0
  return (seq) => {
    for (let next = sorted[at]; next !== undefined && next.first <= seq; next = sorted[++at])
      reached = Math.max(reached, next.last)
    return seq <= reached
  }
}

export const WHAT_TO_DO = 'callsheet audit unexplained says what to do'

/** The ranges of entries, after a number, that one of the keys vouches for. */
export async function explainedRanges(
  tx: Transaction,
  account: string,
  { after, keys }: { after: number; keys: readonly PublicKey[] },
): Promise<{ first: number; last: number }[]> {
  const warrants = Map.groupBy(await warrantsAfter(tx, account, after), ({ last }) => last)
  const ranges: { first: number; last: number }[] = []
  let before = { seq: 0, hash: '' }
  // From here on, each entry matches its row and follows the one before.
  let whole = 0
  const all = { from: after + 1, to: Number.MAX_SAFE_INTEGER }
  for await (const row of entriesBySeq(tx, account, all)) {
    const entry = readEntry(row.line)
    const hash = entryHash(row.line)
    const same =
      entry?.account === account &&
      entry.seq === row.seq &&
      entry.kind === row.kind &&
      entry.subject === row.named
    if (!same) whole = row.seq + 1
    else if (row.seq !== before.seq + 1 || entry.prev !== before.hash) whole = row.seq
    for (const { first, last, basis, signature } of warrants.get(row.seq) ?? []) {
      const range = { account, first, last, hash, basis }
      if (first >= whole && keys.some((key) => isWarrantedBy(key, range, signature)))
        ranges.push({ first, last })
    }
    before = { seq: row.seq, hash }
  }
  return ranges
}
