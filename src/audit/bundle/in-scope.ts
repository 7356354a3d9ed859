import { subjectsOf } from '../../evidence/sql/audited-records.ts'
import type { ManifestRow } from '../../evidence/sql/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { selectedKeys } from './audit-selection.ts'
import type { Exporting } from './exporting.ts'

/** The audited streams, each with its records in scope. */
export function selections(tx: Transaction, { selection, streams }: Exporting) {
  const selected = selectedKeys(tx, selection)
  return streams.flatMap((stream) => {
    const keys = selected[stream.name]
    if (stream.audited !== true || keys === undefined) return []
    return [{ stream, keys, subjects: subjectsOf(stream, keys) }]
  })
}

/** Returns true if the checkpoint covers an entry. */
export function isSigned({ log }: Exporting, { seq }: ManifestRow): boolean {
  return seq <= log.size
}
