import { commitmentOf } from '../../evidence/digest.ts'
import { readEntry } from '../../evidence/entry.ts'
import type { RecordVersion } from '../../warehouse/audited-records.ts'
import type { ManifestRow } from '../../warehouse/manifest.ts'

export interface Matched {
  /** Versions that no entry speaks of. */
  versions: RecordVersion[]
  /** Entries whose version is not there. */
  entries: ManifestRow[]
  /** Entries that cannot be compared any more, since their salt was removed. */
  saltless: ManifestRow[]
}

/** Pairs the versions of one record with its entries, each with one of the other at most. */
export function matchVersions(
  versions: readonly RecordVersion[],
  entries: readonly ManifestRow[],
): Matched {
  const left = [...versions]
  const unmatched: ManifestRow[] = []
  const saltless: ManifestRow[] = []
  for (const entry of entries) {
    const { salt } = entry
    if (salt === null) {
      saltless.push(entry)
      continue
    }
    const said = readEntry(entry.line)
    const at = left.findIndex(
      ({ content, size }) =>
        size === said?.size && commitmentOf(salt, content.toString('hex')) === said.commitment,
    )
    if (at < 0) unmatched.push(entry)
    else left.splice(at, 1)
  }
  return { versions: left, entries: unmatched, saltless }
}
