import { createHash } from 'node:crypto'
import { HASH_BYTES } from './record-hash.ts'

/**
 * The SHA-256 over content hashes in the order of their bytes, whatever order they are given in: `hashes`
 * holds 16 bytes for each, one after the other. Takes 8 bytes more for each while it works. The first bytes
 * of a hash and its place are sorted as one number, as a comparison written here would cost many times as
 * much.
 */
export function sortedDigest(hashes: Buffer): Buffer {
  const count = hashes.length / HASH_BYTES
  const placeBits = Math.ceil(Math.log2(Math.max(2, count)))
  const places = 2 ** placeBits
  // A number holds 53 bits: what the places leave of them, at most the first 32 of a hash.
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

/** Those that begin alike, by all of their bytes: of a million about a hundred pairs. */
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
