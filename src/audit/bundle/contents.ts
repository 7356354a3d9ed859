import { FILE_ENTRY_KINDS, readFileEntries } from '../../evidence/file-entries.ts'
import { contentOf } from '../../evidence/match-versions.ts'
import { filesOf, type LedgerFile } from '../../evidence/sql/evidence-files.ts'
import { entriesOf, type ManifestRow } from '../../evidence/sql/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Exporting } from './exporting.ts'
import { isSigned } from './in-scope.ts'

/** The known contents of entries. */
export interface Contents {
  /** The content's digest in hex, by entry number. */
  known: Map<number, string>
  /**
   * Subjects of files whose removal no checkpoint covers yet, by entry number. The bundle omits these files
   * and their removals.
   */
  removed: Map<number, string>
  /** Digests in hex that the ledger gives for files whose entries record other content. */
  strange: Set<string>
  /** The numbers of the entries that state the slices and ledger rows of the bundle. */
  stated: number[]
}

export function noContents(): Contents {
  return { known: new Map(), removed: new Map(), strange: new Set(), stated: [] }
}

/** Loads the digests of files with signed entries; only the ledger contains them. */
export async function learnFiles(
  tx: Transaction,
  exporting: Exporting,
  { rows, contents }: { rows: readonly ManifestRow[]; contents: Contents },
): Promise<void> {
  const { account } = exporting
  const entries = rows.filter(
    (row) => (row.kind === 'file' || row.kind === 'removal') && isSigned(exporting, row),
  )
  const files = await filesOf(tx, account, [...new Set(entries.map(({ subject }) => subject))])
  const bySubject = new Map(files.map((file) => [file.subject, file]))
  const unsigned = await removedUnsigned(tx, exporting, files)
  for (const entry of entries) {
    const digest = bySubject.get(entry.subject)?.sha256
    if (digest === undefined) continue
    if (!contentOf(entry, digest)) {
      if (entry.salt !== null) contents.strange.add(digest.toString('hex'))
    } else if (unsigned.has(entry.subject)) contents.removed.set(entry.seq, entry.subject)
    else contents.known.set(entry.seq, digest.toString('hex'))
  }
}

/** The subjects of removed files whose removal is entered, but not covered by the checkpoint. */
async function removedUnsigned(
  tx: Transaction,
  exporting: Exporting,
  files: readonly LedgerFile[],
): Promise<Set<string>> {
  const entered = new Set(
    exporting.pending.flatMap(({ kind, subject }) => (kind === 'removal' ? [subject] : [])),
  )
  const removed = files.filter(({ state, subject }) => state === 'removed' && entered.has(subject))
  if (removed.length === 0) return new Set()
  const wanted = { subjects: removed.map(({ subject }) => subject), kinds: FILE_ENTRY_KINDS }
  const entries = await entriesOf(tx, exporting.account, wanted)
  const signed = Map.groupBy(
    entries.filter((entry) => isSigned(exporting, entry)),
    ({ subject }) => subject,
  )
  const unsigned = removed.filter(
    ({ subject, sha256 }) =>
      readFileEntries(signed.get(subject) ?? [], sha256).standing?.kind === 'file',
  )
  return new Set(unsigned.map(({ subject }) => subject))
}
