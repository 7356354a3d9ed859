import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeBundle } from '../../../src/audit/bundle/bundle-writer.ts'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { newKey } from '../../helpers/evidence-stage.ts'
import { readMembers } from '../../helpers/rewrite-zip.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'callsheet-writer-'))))
afterAll(() => rmSync(folder, { recursive: true }))

it.each([true, false])(
  'a bundle writer writes members of zero, one and many pieces (compressed: %s)',
  async (compress) => {
    const path = join(folder, `${compress}.zip`)
    const writer = writeBundle(path, Date.UTC(2026, 0, 1))
    const members = [0, 1, 2, 5].map((count) => {
      return {
        name: `${count} pieces`,
        pieces: Array.from({ length: count }, (_, n) => `piece ${n},`),
      }
    })
    const digests: string[] = []
    for (const { name, pieces } of members)
      digests.push(await writer.add(name, pieces, { compress }))
    await writer.end(newKey())
    const texts = members.map(({ pieces }) => pieces.join(''))
    expect(digests).toEqual(texts.map((text) => sha256Hex(text)))
    const read = await readMembers(path)
    expect(members.map(({ name }) => read.get(name)?.toString())).toEqual(texts)
  },
)

it('a bundle writer fails if the file cannot be opened, even before the first piece', async () => {
  const writer = writeBundle(join(folder, 'missing', 'bundle.zip'), 0)
  let closed = false
  async function* pieces(): AsyncGenerator<string> {
    try {
      await new Promise((resolve) => setTimeout(resolve, 50))
      for (;;) yield 'piece'
    } finally {
      closed = true
    }
  }
  await expect(writer.add('late', pieces(), { compress: false })).rejects.toThrow(/ENOENT/)
  await writer.abandon()
  expect(closed).toBe(true)
})
