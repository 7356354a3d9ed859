import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { manifestLine, readManifestLine } from '../../../src/audit/proof/bundle-format.ts'
import { linesOf } from '../../../src/audit/proof/bundle-members.ts'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { ENTRY_KINDS, type Entry, entryLine, readEntry } from '../../../src/evidence/log/entry.ts'
import { holds } from '../../properties/holds.ts'

const digest = fc.string().map(sha256Hex)
const count = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const common = {
  account: fc.string(),
  seq: count,
  at: fc.string(),
  kind: fc.constantFrom(...ENTRY_KINDS),
  commitment: digest,
  prev: digest,
}
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({
    v: fc.constant(1 as const),
    ...common,
    subject: fc.string().map((row) => `ledger/${row}`),
    size: fc.maxSafeNat(),
  }),
  fc.record({
    v: fc.constant(2 as const),
    ...common,
    subject: digest.map((one) => `recording_files/${one}`),
    size: fc.integer({ min: 10, max: 40 }).map((power) => 2 ** power),
  }),
)
describe('the lines of entries', () => {
  it('have one line for each entry, and are read back unchanged', async () => {
    await holds(
      fc.property(entry, (one) => {
        expect(entryLine(one)).not.toMatch(/[\n\r]/)
        expect(readEntry(entryLine(one))).toEqual(one)
      }),
    )
  })

  it('are accepted in only one form, without other blanks, orders, fields or numbers', async () => {
    await holds(
      fc.property(entry, (one) => {
        const line = entryLine(one)
        const { v, account, ...rest } = one
        for (const other of [
          `${line} `,
          line.replace(':', ': '),
          JSON.stringify({ account, v, ...rest }),
          JSON.stringify({ v, account, ...rest, more: 1 }),
          line.replace(`"seq":${one.seq}`, `"seq":${one.seq}.0`),
          line.slice(1),
          // Only lines about ledgers contain their subject in clear.
          JSON.stringify({ ...one, v: 1, subject: 'whiteboard_sessions/s' }),
        ])
          expect(readEntry(other)).toBeUndefined()
      }),
    )
  })

  it('of a manifest contain the exact bytes of the entry', async () => {
    await holds(
      fc.property(entry, digest, fc.array(digest, { maxLength: 5 }), (one, content, hashes) => {
        const salt = content.slice(0, 32)
        const path = hashes.map((hash) => Buffer.from(hash, 'hex').toString('base64'))
        const line = { entry: entryLine(one), salt, content, path }
        expect(readManifestLine(manifestLine(line).trimEnd())).toEqual(line)
      }),
    )
  })

  it('are found in a text, whatever pieces it arrives in', async () => {
    const text = 'one\n\nthree ž\nfour'
    for (let size = 1; size < 12; size++) {
      const bytes = Buffer.from(text)
      const pieces = (async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      })()
      const found: string[] = []
      for await (const line of linesOf(pieces)) found.push(line.toString())
      expect(found).toEqual(text.split('\n'))
    }
  })
})
