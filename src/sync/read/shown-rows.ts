import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { cleanText } from '../../core/records/map-record.ts'
import { sortedDigest } from '../../core/records/sorted-digest.ts'
import type { PlannedGroup } from '../plan/plan-stream.ts'
import type { SliceReading } from '../run/slice-reading.ts'
import type { TimelessRows } from './timeless-rows.ts'

interface ReadGroup {
  group: PlannedGroup
  table: FingerprintTable
  timeless?: TimelessRows | undefined
}

/** By the order of its request, which slice a page was of: its place among the group's. */
export type AskedBy = Map<number, number>

/**
 * The readings of a group, each that was read to its end with what it showed: the digest is over the content
 * hashes of the rows that it showed last, as they are held after it. So what another slice owns or showed
 * later is not in it, nor what came twice, nor what was set aside or is of somebody who was erased. It is
 * `exact` where the warehouse holds no other rows of the slice, so that these can be compared with it later.
 * The hashes are gathered for the group at hand alone, and freed with the call.
 */
export function withDigests(
  { group, table, timeless }: ReadGroup,
  readings: readonly SliceReading[],
  asked: AskedBy,
): SliceReading[] {
  const { stream, owned, slices } = group
  const contents = table.shownContents(slices.length, (order) => asked.get(order) ?? -1)
  const ownsAll =
    table.countMissing() === 0 &&
    (owned.kind === 'parents' || (slices.length === 1 && (timeless?.table.size ?? 0) === 0)) &&
    group.incremental !== true &&
    group.unproven !== true &&
    group.serves === undefined &&
    !(stream.sync.kind === 'windows' && stream.sync.byMonth !== undefined)
  return readings.map((reading) => {
    const { slice, state, error, refused, kept, nested, doubted, changed } = reading
    const hashes = contents[slices.indexOf(slice)]
    if (state !== 'complete' || error !== undefined || refused + kept > 0 || hashes === undefined)
      return reading
    // One that changed may have moved to another window, and one whose nested records were set aside has the
    // hash of none.
    const stays = nested + doubted === 0 && (owned.kind !== 'windows' || changed === 0)
    const name = slice.request.slice
    const exact = ownsAll && stays && slice.request.keepKnown !== true && cleanText(name) === name
    return { ...reading, shown: { digest: sortedDigest(hashes), exact } }
  })
}
