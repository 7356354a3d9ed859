import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sortedDigest } from '../../../src/sync/read/shown-rows.ts'

/** As anybody would do it: sorted by their bytes, one after the other. */
const plainly = (hashes: readonly Buffer[]): string =>
  createHash('sha256')
    .update(Buffer.concat(hashes.toSorted(Buffer.compare)))
    .digest('hex')

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest().subarray(0, 16)
const hashes = (count: number): Buffer[] =>
  Array.from({ length: count }, (_none, at) => hashOf(`record ${at}`))
const digest = (all: readonly Buffer[]): string => sortedDigest(Buffer.concat(all)).toString('hex')

describe('the digest of sorted hashes', () => {
  it.each([0, 1, 2, 3, 1_000, 4_095, 4_096, 4_097, 20_000])(
    'is that of all %s of them',
    (count) => {
      const all = hashes(count)
      expect(digest(all)).toBe(plainly(all))
      expect(digest(all.toReversed())).toBe(plainly(all))
    },
  )

  it('is right where hashes begin alike, and where one is there twice', () => {
    const alike = hashes(3_000).map((hash, at) => {
      const same = Buffer.from(hash)
      same.writeUInt32BE(at % 7 === 0 ? 0xffffffff : at % 5, 0)
      return same
    })
    const all = [...alike, ...alike.slice(0, 10)]
    expect(digest(all)).toBe(plainly(all))
  })

  it('is another one where a single bit differs', () => {
    const all = hashes(100)
    const other = all.map((hash) => Buffer.from(hash))
    other[50]?.writeUInt8((other[50].readUInt8(15) ^ 1) & 0xff, 15)
    expect(digest(other)).not.toBe(digest(all))
  })
})
