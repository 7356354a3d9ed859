import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FileStore, StoredFile } from '../../src/archive/store.ts'
import { storedFiles } from '../helpers/archive-files.ts'
import { useDirectoryStore } from '../helpers/directory-store.ts'

let place: string
let store: FileStore
useDirectoryStore((opened) => ({ place, store } = opened))

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('a store in a directory', () => {
  it('keeps more small files at once than threads have places for', async () => {
    const texts = Array.from({ length: 300 }, (_, n) => `${n} `.repeat(n))
    const drafts = await Promise.all(texts.map(() => store.receive()))
    await Promise.all(
      drafts.map(async (draft, n) => await draft.write(Buffer.from(texts[n] ?? ''))),
    )
    const kept = await Promise.all(drafts.map(async (draft) => await draft.keepHashed?.()))
    expect(kept.map((file) => file?.sha256)).toEqual(texts.map(hashOf))
    const { names, wrong, left } = storedFiles(place)
    expect({ names: new Set(names), wrong, left }).toEqual({
      names: new Set(texts.map(hashOf)),
      wrong: [],
      left: [],
    })
  })

  it.each([1, 2, 3, 9])(
    'forgets none of those that come while %i are on their way',
    async (many) => {
      const kept: Promise<StoredFile | undefined>[] = []
      for (let n = 0; n < 150; n++) {
        const draft = await store.receive()
        await draft.write(Buffer.from(`${many}-${n}`))
        kept.push(draft.keepHashed?.() ?? Promise.resolve(undefined))
        await kept.at(-many)
      }
      const hashes = (await Promise.all(kept)).map((file) => file?.sha256)
      expect(hashes).toEqual(hashes.map((_, n) => hashOf(`${many}-${n}`)))
    },
  )

  it.each([
    [60_000, 10_000],
    [65_536, 1],
    [30_000, 30_000, 30_000, 200_000],
  ])('keeps a file that outgrows its place, after %i bytes', async (...lengths) => {
    const draft = await store.receive()
    const pieces = lengths.map((length, n) => Buffer.alloc(length, String(n)))
    for (const piece of pieces) await draft.write(piece)
    const sha256 = hashOf(Buffer.concat(pieces).toString())
    expect(await draft.keepHashed?.()).toEqual({ sha256, size: Buffer.concat(pieces).length })
    expect(storedFiles(place)).toEqual({ names: [sha256], wrong: [], left: [] })
  })

  it('says what is wrong with the disk where a thread finds it, and keeps the next file', async () => {
    const lost = await store.receive()
    await lost.write(Buffer.from('lost'))
    rmSync(join(place, 'incoming'), { recursive: true })
    await expect(lost.keepHashed?.()).rejects.toMatchObject({ code: 'store_failed' })
    mkdirSync(join(place, 'incoming'))
    const next = await store.receive()
    await next.write(Buffer.from('next'))
    expect(await next.keepHashed?.()).toEqual({ sha256: hashOf('next'), size: 4 })
  })
})
