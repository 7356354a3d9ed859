import type { Readings } from '../readings/readings.ts'
import type { TruthRow } from './stream-truth.ts'

/** Which row stands where: in a list that moves the last one has slipped, and the one before shows again. */
export function placesIn(
  { listOrder }: Readings,
  { pass, length }: { pass: number; length: number },
): (at: number) => number {
  const moved = listOrder === 'unstable' || (listOrder === 'moves' && pass % 3 === 1)
  return (at) => (moved && at > 0 && at === length - 1 ? at - 1 : at)
}

/** What stands at the end of a list without being a record. */
export function strayRecords({ unusableRecords }: Readings, pass: number): unknown[] {
  // Each third pass, so that two in a row can be without it.
  if (unusableRecords === 'none' || pass % 3 !== 1) return []
  return [unusableRecords === 'null' ? null : {}]
}

/** Some sessions tell no time that can be read. */
export function isTimeless({ unreadableTimes }: Readings, id: unknown): boolean {
  if (unreadableTimes === 'none') return false
  let sum = 0
  for (const byte of Buffer.from(String(id))) sum += byte
  return sum % 7 === 3
}

export function* timesAsShown(readings: Readings, rows: Iterable<TruthRow>): Generator<TruthRow> {
  for (const row of rows) yield isTimeless(readings, row.id) ? { ...row, start_time: null } : row
}
