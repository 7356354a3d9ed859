import { count, counted } from '../../core/values/quantities.ts'
import type { SyncedNight } from './options.ts'

/** Describes how complete the sync was, and compares the changes it found with the company's changes. */
export function foundLines({ results, changes }: SyncedNight): string[] {
  const tables = results.flatMap((result) => Object.values(result.tables))
  const sum = (name: 'inserted' | 'updated' | 'deleted' | 'present'): number =>
    tables.reduce((total, table) => total + (table[name] ?? 0), 0)
  const slices = results.flatMap((result) => Object.values(result.slices))
  const planned = slices.reduce((total, slice) => total + slice.planned, 0)
  const complete = slices.reduce((total, slice) => total + slice.complete, 0)
  const stored = results.reduce((total, { files }) => total + (files?.stored ?? 0), 0)
  const found = sum('inserted') + sum('updated') + sum('deleted')
  const files = counted(stored, 'file was', 'files were')
  return [
    `Coverage: ${count(complete)} of ${count(planned)} planned slices were read to their end.`,
    `${count(sum('present'))} rows are in the database. ${files} archived.`,
    ...(changes === undefined ? [] : [comparison(found, results, changes)]),
  ]
}

function comparison(
  found: number,
  results: SyncedNight['results'],
  changes: NonNullable<SyncedNight['changes']>,
): string {
  const read = new Set(results.flatMap((result) => Object.keys(result.tables)))
  const wanted = Object.entries(changes)
    .filter(([stream]) => read.has(stream))
    .reduce((total, [, one]) => total + one.inserted + one.updated + one.deleted, 0)
  if (wanted === 0 && found === 0) return 'Nothing changed, so no row was written.'
  const rows = `The company changed ${counted(wanted, 'row')} since the last night`
  return wanted === found
    ? `${rows}: exactly what the sync found.`
    : `${rows}; the sync found ${count(found)}.`
}
