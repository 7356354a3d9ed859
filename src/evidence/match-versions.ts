import { commitmentOf } from './log/digest.ts'
import { readEntry, sizeInLine } from './log/entry.ts'
import { lostAmong } from './log/erased-kinds.ts'
import type { RecordVersion } from './sql/audited-records.ts'
import type { ManifestRow } from './sql/manifest.ts'

export interface MatchedEntries<Version> {
  /** Versions without an entry. */
  versions: Version[]
  /** Entries without a version. */
  entries: ManifestRow[]
  /** Entries that can no longer be compared, because their salt was removed. */
  saltless: ManifestRow[]
}

export interface Pair<Version> {
  version: Version
  entry: ManifestRow
}

/** Pairs a record's versions with its entries, one to one. */
export function pairVersions<Version extends RecordVersion>(
  versions: readonly Version[],
  entries: readonly ManifestRow[],
): { pairs: Pair<Version>[]; matched: MatchedEntries<Version> } {
  const left = [...versions]
  const pairs: Pair<Version>[] = []
  const matched: MatchedEntries<Version> = { versions: left, entries: [], saltless: [] }
  for (const entry of entries) {
    const at = left.findIndex(
      ({ content, size }) => hasSize(entry, size) && contentOf(entry, content),
    )
    const [version] = at < 0 ? [] : left.splice(at, 1)
    if (version !== undefined) pairs.push({ version, entry })
    else if (entry.salt === null) matched.saltless.push(entry)
    else matched.entries.push(entry)
  }
  return { pairs, matched }
}

/** The entries of one subject, given in order, whose salt is missing although no entry explains it. */
export function lostSalts(entries: readonly ManifestRow[]): ManifestRow[] {
  const told = entries.map((row) => {
    const size = readEntry(row.line)?.size ?? Number.NaN
    return { kind: row.kind, size, salted: row.salt !== null, row }
  })
  return lostAmong(told).map(({ row }) => row)
}

/** Returns true if an entry fits content of this many bytes. Its line may contain only a padded size. */
export function hasSize({ line }: Pick<ManifestRow, 'line'>, bytes: number): boolean {
  const entry = readEntry(line)
  return entry !== undefined && entry.size === sizeInLine(entry, bytes)
}

/** Returns true if an entry records this content; false if its salt was removed. */
export function contentOf({ salt, line }: ManifestRow, content: Buffer): boolean {
  if (salt === null) return false
  return commitmentOf(salt, content.toString('hex')) === readEntry(line)?.commitment
}
