import type { Readings } from '../readings/readings.ts'
import type { TruthRow } from './stream-truth.ts'

/** Returns the number of positions in a list. */
export function placesFor({ twins }: Readings, rows: number): number {
  return twins === 'equal' && rows > 0 ? rows + 1 : rows
}

/** Maps positions to rows. A list that moves leaves one row out and shows its neighbor twice. */
export function placesIn(
  { listOrder }: Readings,
  { pass, length }: { pass: number; length: number },
): (at: number) => number {
  const last = length - 1
  const hidden = { stable: -1, moves: pass % 3 === 1 ? last : -1, unstable: pass % length }
  const moved = last > 0 ? hidden[listOrder] : -1
  const beside = moved === 0 ? 1 : moved - 1
  // The last row of a list with twins has two positions.
  return (at) => (at === moved ? beside : Math.min(at, last))
}

/** Returns unusable records for the end of a list. */
export function strayRecords({ unusableRecords }: Readings, pass: number): unknown[] {
  // Only in every third pass, so that two consecutive passes can be without unusable records.
  if (unusableRecords === 'none' || pass % 3 !== 1) return []
  return [unusableRecords === 'null' ? null : {}]
}

/** Whether the sandbox gives a session an unreadable time. */
export function isTimeless({ unreadableTimes }: Readings, id: unknown): boolean {
  if (unreadableTimes === 'none') return false
  let sum = 0
  for (const byte of Buffer.from(String(id))) sum += byte
  return unreadableTimes === 'most' ? sum % 2 === 1 : sum % 17 === 3
}

export function* timesAsShown(readings: Readings, rows: Iterable<TruthRow>): Generator<TruthRow> {
  for (const row of rows) yield isTimeless(readings, row.id) ? { ...row, start_time: null } : row
}
