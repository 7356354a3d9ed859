import { createHash } from 'node:crypto'
import type { FingerprintTable } from '../../core/records/fingerprint-table.ts'
import { cleanText } from '../../core/records/map-record.ts'
import { HASH_BYTES } from '../../core/records/record-hash.ts'
import type { PlannedGroup } from '../plan/plan-stream.ts'
import type { SliceReading } from '../run/slice-reading.ts'
import type { TimelessRows } from './timeless-rows.ts'

interface ReadGroup {
  group: PlannedGroup
  table: FingerprintTable
  timeless?: TimelessRows | undefined
}

/** The slice of a page, as its index in the group, by the order of the page's request. */
export type AskedBy = Map<number, number>

/**
 * Adds the rows shown to each reading that was completed. The digest covers the content hashes of the rows
 * that the slice was the last to show, as stored after it. It excludes rows that another slice owns or showed
 * later, repeats, quarantined records and those of erased persons. It is `exact` if the warehouse has no
 * other rows of the slice, so that its rows can be compared with it later. The hashes are collected for this
 * group only, and freed with the call.
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
    // A changed row may have moved to another window, and one with quarantined nested records has no hash.
    const stays = nested + doubted === 0 && (owned.kind !== 'windows' || changed === 0)
    const name = slice.request.slice
    const exact = ownsAll && stays && slice.request.keepKnown !== true && cleanText(name) === name
    return { ...reading, shown: { digest: sortedDigest(hashes), exact } }
  })
}

/**
 * The SHA-256 over content hashes in the order of their bytes, whatever their input order: `hashes` contains
 * 16 bytes for each, one after the other. Uses 8 more bytes for each while it works. The first bytes of a
 * hash and its place are sorted as one number, since a comparison function would be many times slower.
 */
export function sortedDigest(hashes: Buffer): Buffer {
  const count = hashes.length / HASH_BYTES
  const placeBits = Math.ceil(Math.log2(Math.max(2, count)))
  const places = 2 ** placeBits
  // A number has 53 bits: those that the places leave, at most 32, are the first bits of a hash.
  const unit = 2 ** Math.max(0, 32 + placeBits - 53)
  const keys = new Float64Array(count)
  for (let place = 0; place < count; place++) {
    const at = place * HASH_BYTES
    const low = ((hashes[at + 1] as number) << 16) | ((hashes[at + 2] as number) << 8)
    const first = (hashes[at] as number) * 2 ** 24 + (low | (hashes[at + 3] as number))
    keys[place] = (unit === 1 ? first : Math.floor(first / unit)) * places + place
  }
  keys.sort()
  orderAlike(hashes, keys, places)
  const digest = createHash('sha256')
  const piece = Buffer.allocUnsafe(Math.min(count, PIECE) * HASH_BYTES)
  let filled = 0
  for (let place = 0; place < count; place++) {
    const from = placeOf(keys[place] as number, places) * HASH_BYTES
    for (let byte = 0; byte < HASH_BYTES; byte++)
      piece[filled + byte] = hashes[from + byte] as number
    filled += HASH_BYTES
    if (filled < piece.length) continue
    digest.update(piece)
    filled = 0
  }
  return digest.update(piece.subarray(0, filled)).digest()
}

/** Orders hashes with equal first bytes by all their bytes: about a hundred pairs in a million. */
function orderAlike(hashes: Buffer, keys: Float64Array, places: number): void {
  const whole = (key: number): Buffer => {
    const at = placeOf(key, places) * HASH_BYTES
    return hashes.subarray(at, at + HASH_BYTES)
  }
  for (let from = 0; from < keys.length; ) {
    const first = Math.floor((keys[from] as number) / places)
    const above = (first + 1) * places
    let to = from + 1
    while (to < keys.length && (keys[to] as number) < above) to++
    if (to > from + 1) keys.subarray(from, to).sort((a, b) => Buffer.compare(whole(a), whole(b)))
    from = to
  }
}

/** The lower bits of a key. */
function placeOf(key: number, places: number): number {
  return key - Math.floor(key / places) * places
}

const PIECE = 4_096
