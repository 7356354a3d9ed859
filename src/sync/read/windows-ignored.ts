import type { Stream } from '../../core/define/stream.ts'
import type { PageRecords } from '../../core/records/page-records.ts'
import { joinKey, keyOf } from '../../core/records/record-key.ts'
import type { PlannedGroup } from '../plan/plan-stream.ts'
import { newReading, type SliceReading } from '../run/slice-reading.ts'

/** The service shows the whole list whatever window is asked for: this window is not read. */
export class WindowsIgnored extends Error {}

/** Hears how many records of the first page of a window lie elsewhere, and which keys the page shows. */
export type OnFirstPage = (page: {
  elsewhere: number
  keys: () => ReadonlySet<string>
}) => Promise<void>

/** The readings of a group, and those of the slices that its list serves: as complete as the list is. */
export function withServed(
  { serves = [] }: PlannedGroup,
  readings: readonly SliceReading[],
): readonly SliceReading[] {
  const [whole] = readings
  if (whole === undefined || serves.length === 0) return readings
  const { state, requestedAtMs, error } = whole
  return [
    ...readings,
    ...serves.map((slice) => ({ ...newReading(slice), state, requestedAtMs, error })),
  ]
}

/** The keys of a page's records, of those that can be used. */
export function keysOn(stream: Stream, records: PageRecords): ReadonlySet<string> {
  const keys = new Set<string>()
  for (let at = 0; at < records.count; at++) {
    const record = records.recordAt(at)
    const found = record && keyOf(stream, record, { ordinal: 0, filter: {} })
    if (found !== undefined && 'key' in found) keys.add(joinKey(found.key))
  }
  return keys
}
