import { readEntry } from './log/entry.ts'
import { explains } from './log/erased-kinds.ts'
import { contentOf } from './match-versions.ts'
import type { LedgerFile } from './sql/evidence-files.ts'
import type { ManifestRow } from './sql/manifest.ts'

/** The kinds of entries about a file. An `erasure` may also concern the record with the same subject. */
export const FILE_ENTRY_KINDS = ['file', 'removal', 'erasure'] as const

/** The result of reading a file's entries from first to last. */
export interface FileEntries {
  /** The entry that describes the file now; undefined before the first entry and after an erasure. */
  standing: ManifestRow | undefined
  /** True if the file was erased and no entry follows the erasure. */
  erased: boolean
  /** Entries that wrongly follow an entry with other content, each with the entry before it. */
  replaced: { before: ManifestRow; entry: ManifestRow }[]
}

/**
 * Evaluates the entries of a file. Until an erasure, all of them must record the same content. Entries only
 * commit to digests, so they are compared with the ledger's `digest`.
 */
export function readFileEntries(
  entries: readonly ManifestRow[],
  digest: Buffer | undefined,
): FileEntries {
  const read: FileEntries = { standing: undefined, erased: false, replaced: [] }
  for (const entry of entries) {
    const before = read.standing
    if (entry.kind === 'erasure') {
      if (!explains(readEntry(entry.line)?.size ?? Number.NaN, 'file')) continue
      Object.assign(read, { standing: undefined, erased: true })
      continue
    }
    if (before !== undefined && isReplaced(before, entry, digest))
      read.replaced.push({ before, entry })
    read.standing = entry
    read.erased = false
  }
  return read
}

function isReplaced(before: ManifestRow, entry: ManifestRow, digest: Buffer | undefined): boolean {
  const [was, is] = [before, entry].map((one) => digest !== undefined && contentOf(one, digest))
  if (was === true && is === true) return false
  if (entry.kind === 'removal')
    return digest !== undefined && before.salt !== null && entry.salt !== null && was !== is
  // If the contents of both were erased later, only their sizes can be compared.
  const erased = before.salt === null && entry.salt === null
  return !erased || readEntry(before.line)?.size !== readEntry(entry.line)?.size
}

/**
 * Checks a file whose last entry may not match the ledger. The file `lacks` an entry, `has` it, or was
 * `exchanged`: its entry records other content or another state, which Callsheet never leaves behind.
 */
export function checkInDoubt(
  file: LedgerFile,
  entries: readonly ManifestRow[],
): 'lacks' | 'has' | 'exchanged' {
  const { standing, erased } = readFileEntries(entries, file.sha256)
  const stored = file.state === 'stored'
  // A file that was erased under the store's lock is marked as removed, and no entry describes it any more.
  if (standing === undefined) return erased && !stored ? 'has' : 'lacks'
  const same = contentOf(standing, file.sha256)
  if (stored) return standing.kind === 'file' && same ? 'has' : 'exchanged'
  if (!same && standing.salt !== null) return 'exchanged'
  return standing.kind === 'removal' ? 'has' : 'lacks'
}
