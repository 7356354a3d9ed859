import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeBundle } from '../../src/audit/bundle/bundle-writer.ts'
import { readBundle } from '../../src/audit/bundle/read-bundle.ts'
import { newKey } from '../helpers/evidence-stage.ts'

/** With the sums and their signature, one more than a zip file without ZIP64 can count. */
const MEMBERS = 2 ** 16 - 2
const nameOf = (n: number) => `files/${String(n).padStart(64, '0')}`

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'callsheet-many-'))))
afterAll(() => rmSync(folder, { recursive: true }))

it('a bundle can have more members than a zip file without ZIP64 can count', {
  timeout: 60_000,
}, async () => {
  const path = join(folder, 'many.zip')
  const writer = writeBundle(path, Date.UTC(2026, 0, 1))
  for (let n = 0; n < MEMBERS; n++) await writer.add(nameOf(n), [String(n)], { compress: false })
  await writer.end(newKey())
  expect(countsOf(readFileSync(path))).toEqual({ plain: 0xffff, wide: MEMBERS + 2 })
  const bundle = await readBundle(path)
  expect([...bundle.names()]).toHaveLength(MEMBERS + 2)
  for (const n of [0, 0xfffd, MEMBERS - 1])
    expect((await bundle.readSmall(nameOf(n)))?.toString()).toBe(String(n))
  expect(bundle.has('SHA256SUMS.sig')).toBe(true)
  await bundle.close()
})

it.each(['records/whiteboard_activities.ndjson', `records/${'a'.repeat(64)}.json`])(
  '%s in a bundle is read even if it is one letter, repeated a million times',
  async (name) => {
    const path = join(folder, `${name.length}.zip`)
    const text = 'x'.repeat(2 ** 20)
    const writer = writeBundle(path, Date.UTC(2026, 0, 1))
    await writer.add(name, Array<string>(17).fill(text))
    await writer.end(newKey())
    expect(statSync(path).size).toBeLessThan(2 ** 16)
    const bundle = await readBundle(path)
    let bytes = 0
    for await (const piece of bundle.read(name)) bytes += piece.length
    expect(bytes).toBe(17 * text.length)
    await bundle.close()
  },
)

/** The number of members in the file's plain end record and in its ZIP64 record. */
function countsOf(zip: Buffer): { plain: number; wide: number } {
  const plain = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const wide = zip.lastIndexOf(Buffer.from('PK\x06\x06', 'latin1'))
  return { plain: zip.readUInt16LE(plain + 10), wide: Number(zip.readBigUInt64LE(wide + 32)) }
}
