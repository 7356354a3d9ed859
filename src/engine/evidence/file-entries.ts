import { readEntry } from '../../evidence/entry.ts'
import { explains } from '../../evidence/erased-kinds.ts'
import type { LedgerFile } from '../../warehouse/archive/evidence-files.ts'
import type { ManifestRow } from '../../warehouse/evidence/manifest.ts'
import { contentOf } from './match-versions.ts'

/** The kinds of entries that tell of a file; `erasure` may also be that of the record of the same name. */
export const FILE_ENTRY_KINDS = ['file', 'removal', 'erasure'] as const

/** What the entries on a file come to, read from the first to the last. */
export interface FileEntries {
  /** The entry that tells of the file now; none before the first, and after an erasure of the file. */
  standing: ManifestRow | undefined
  /** Whether the file was erased, as far as nothing came after. */
  erased: boolean
  /** Entries that follow one of another content, which they never do by right, and the one before each. */
  replaced: { before: ManifestRow; entry: ManifestRow }[]
}

/**
 * A file that is stored stays as it is until it is removed or erased, and what is removed is stored no more
 * unless it was erased. `digest`: that of the ledger, by which alone contents can be compared.
 */
export function readFileEntries(
  entries: readonly ManifestRow[],
  digest: Buffer | undefined,
): FileEntries {
  const read: FileEntries = { standing: undefined, erased: false, replaced: [] }
  for (const entry of entries) {
    const before = read.standing
    if (entry.kind === 'erasure') {
      if (!isOfFile(entry, before)) continue
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

/** One of before does not say whether it was of the record alone: then it left the file's salt. */
function isOfFile({ line }: ManifestRow, before: ManifestRow | undefined): boolean {
  const size = readEntry(line)?.size ?? Number.NaN
  return explains(size, 'file') && (size > 0 || before === undefined || before.salt === null)
}

function isReplaced(before: ManifestRow, entry: ManifestRow, digest: Buffer | undefined): boolean {
  const [was, is] = [before, entry].map((one) => digest !== undefined && contentOf(one, digest))
  if (was === true && is === true) return false
  if (entry.kind === 'removal')
    return digest !== undefined && before.salt !== null && entry.salt !== null && was !== is
  // Of two that were both erased later only the size is left.
  const erased = before.salt === null && entry.salt === null
  return !erased || readEntry(before.line)?.size !== readEntry(entry.line)?.size
}

/**
 * What a run makes of a file of which it is not known that its last entry says the same: it `lacks` an entry,
 * or has it, or its entry is of something else, which the ledger never comes to by right.
 */
export function checkInDoubt(
  file: LedgerFile,
  entries: readonly ManifestRow[],
): 'lacks' | 'has' | 'exchanged' {
  const { standing, erased } = readFileEntries(entries, file.sha256)
  const stored = file.state === 'stored'
  // What the store's lock keeps of an erased file is entered as removed, and has no commitment any more.
  if (standing === undefined) return erased && !stored ? 'has' : 'lacks'
  const same = contentOf(standing, file.sha256)
  if (stored) return standing.kind === 'file' && same ? 'has' : 'exchanged'
  if (!same && standing.salt !== null) return 'exchanged'
  return standing.kind === 'removal' ? 'has' : 'lacks'
}
