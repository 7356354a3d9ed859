import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FileStore } from '../../src/store/store.ts'
import { storedFiles } from '../helpers/archive-files.ts'
import { useDirectoryStore } from '../helpers/directory-store.ts'

let place: string
let store: FileStore
useDirectoryStore((opened) => ({ place, store } = opened))

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('a store in a directory', () => {
  it('stores many small files in parallel', async () => {
    const texts = Array.from({ length: 300 }, (_, n) => `${n} `.repeat(n))
    const drafts = await Promise.all(texts.map(() => store.receive()))
    await Promise.all(
      drafts.map(async (draft, n) => await draft.write(Buffer.from(texts[n] ?? ''))),
    )
    await Promise.all(drafts.map((draft, n) => draft.keep(hashOf(texts[n] ?? ''))))
    const { names, wrong, left } = storedFiles(place)
    expect({ names: new Set(names), wrong, left }).toEqual({
      names: new Set(texts.map(hashOf)),
      wrong: [],
      left: [],
    })
  })

  it.each([
    [60_000, 10_000],
    [65_536, 1],
    [30_000, 30_000, 30_000, 200_000],
  ])('stores a file of several pieces, the first of %i bytes', async (...lengths) => {
    const draft = await store.receive()
    const pieces = lengths.map((length, n) => Buffer.alloc(length, String(n)))
    for (const piece of pieces) await draft.write(piece)
    const sha256 = hashOf(Buffer.concat(pieces).toString())
    await draft.keep(sha256)
    expect(await store.size(sha256)).toBe(Buffer.concat(pieces).length)
    expect(storedFiles(place)).toEqual({ names: [sha256], wrong: [], left: [] })
  })

  it('reports a disk error, and stores the next file', async () => {
    const lost = await store.receive()
    await lost.write(Buffer.from('lost'))
    rmSync(join(place, 'incoming'), { recursive: true })
    await expect(lost.keep(hashOf('lost'))).rejects.toMatchObject({ code: 'store_failed' })
    mkdirSync(join(place, 'incoming'))
    const next = await store.receive()
    await next.write(Buffer.from('next'))
    await next.keep(hashOf('next'))
    expect(await store.size(hashOf('next'))).toBe(4)
  })
})
