import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StoreError } from '../../src/core/errors.ts'
import type { FileStore, StoredFile } from '../../src/store/store.ts'

export interface StoreUnderTest {
  /** A store of an account as a newly started process would create it; not opened yet. */
  store(account: string): FileStore
  /** Replaces the content of a stored file. */
  damage(account: string, sha256: string, content: string): void
  close(): Promise<void>
}

/** What every store must do. `largeBytes` must exceed the bytes that the store writes at once. */
export function itKeepsFiles(
  name: string,
  setUp: () => Promise<StoreUnderTest>,
  { largeBytes = 3 * 2 ** 20 } = {},
): void {
  describe(`the store ${name}`, () => {
    let under: StoreUnderTest
    const stores: FileStore[] = []
    const open = async (account = 'main'): Promise<FileStore> => {
      const store = under.store(account)
      stores.push(store)
      await store.open()
      return store
    }
    beforeAll(async () => {
      under = await setUp()
    })
    afterAll(async () => {
      for (const store of stores) await store.close()
      await under.close()
    })
    keepsAndGivesBack(open, largeBytes)
    leavesPieces(open, largeBytes)
    listsAndRemoves(open)
    it('replaces a damaged file, and no other file, when its content is stored again', async () => {
      const store = await open('damaged')
      const content = Buffer.from('as it was')
      const sha256 = await keep(store, content)
      const other = await keep(store, Buffer.from('another'))
      for (const damaged of ['cut', 'as it WAS', '']) {
        under.damage('damaged', sha256, damaged)
        expect(await keep(store, content)).toBe(sha256)
        // The test server answers before it has written all bytes.
        await expect.poll(async () => (await bytesOf(store, sha256)).equals(content)).toBe(true)
      }
      expect(await all(store)).toHaveLength(2)
      expect(await store.size(other)).toBe(7)
    })
    keepsNotes(open)
    it('can be examined during a write, without an effect on the write', async () => {
      const draft = await (await open('examined')).receive()
      await draft.write(Buffer.from('half '))
      const examined = under.store('examined')
      stores.push(examined)
      await examined.examine()
      await draft.write(Buffer.from('whole'))
      const sha256 = hashOf(Buffer.from('half whole'))
      await draft.keep(sha256)
      expect(await all(examined)).toEqual([{ sha256, size: 10 }])
      expect(await examined.listNotes()).toEqual([])
    })
  })
}

/** Drafts neither stored nor discarded, as by a killed process; referenced so that no handle is collected. */
const abandoned: unknown[] = []

type Open = (account?: string) => Promise<FileStore>

function leavesPieces(open: Open, largeBytes: number): void {
  it('a piece of a file does not change while later pieces and other files are read', async () => {
    const store = await open()
    const contents = [randomBytes(largeBytes), randomBytes(20_000), randomBytes(20_000)]
    const read: { content: Buffer; pieces: Uint8Array[] }[] = []
    for (const content of contents) {
      const pieces: Uint8Array[] = []
      for await (const piece of (await store.read(await keep(store, content))) ?? [])
        pieces.push(piece)
      read.push({ content, pieces })
    }
    for (const { content, pieces } of read)
      expect(Buffer.compare(Buffer.concat(pieces), content)).toBe(0)
  })
}

function keepsAndGivesBack(open: Open, largeBytes: number): void {
  it.each([
    ['an empty file', 0],
    ['a small file', 20_000],
    ['a large file', largeBytes],
  ])('%s is returned byte for byte, also to the next process', async (_what, size) => {
    const content = randomBytes(size)
    const sha256 = await keep(await open(), content)
    const store = await open()
    expect(await store.size(sha256)).toBe(size)
    expect(Buffer.compare(await bytesOf(store, sha256), content)).toBe(0)
  })

  it('equal content is stored once, also if two drafts are stored in parallel', async () => {
    const store = await open('twice')
    const content = randomBytes(5_000)
    const names = await Promise.all([keep(store, content), keep(store, content)])
    expect(names[0]).toBe(await keep(store, content))
    expect(await all(store)).toEqual([{ sha256: names[0], size: 5_000 }])
  })

  it('a draft that was not stored does not become a file', async () => {
    const store = await open('drafts')
    const draft = await store.receive()
    await draft.write(randomBytes(1_000))
    await draft.discard()
    const left = await store.receive()
    await left.write(randomBytes(1_000))
    abandoned.push(left)
    const next = await open('drafts')
    expect(await all(next)).toEqual([])
    await keep(next, Buffer.from('x'))
    expect(await all(next)).toHaveLength(1)
  })

  it('a missing file is returned as undefined', async () => {
    const store = await open()
    const unknown = hashOf(Buffer.from('never stored'))
    expect(await store.size(unknown)).toBeUndefined()
    expect(await store.read(unknown)).toBeUndefined()
  })

  it('a name that is not a hash is refused', async () => {
    const store = await open()
    for (const name of ['../../etc/passwd', 'A'.repeat(64), '', `${'a'.repeat(63)}/`])
      await expect(store.size(name)).rejects.toBeInstanceOf(StoreError)
  })
}

function listsAndRemoves(open: Open): void {
  it('each file of the account is listed, and no other file', async () => {
    const [mine, other] = [await open('mine'), await open('other')]
    const contents = Array.from({ length: 7 }, (_, n) => Buffer.from(`file ${n}`))
    const names = await Promise.all(contents.map((content) => keep(mine, content)))
    await keep(other, Buffer.from('of the other'))
    await mine.keepNote('note-1.json', '{}')
    const listed = await all(mine)
    expect(listed.map(({ sha256 }) => sha256)).toEqual(names.toSorted())
    expect(listed.every(({ size }) => size === 6)).toBe(true)
    expect(await all(other)).toHaveLength(1)
  })

  it('a file is removed permanently, and the removal of a missing file is ignored', async () => {
    const store = await open('removes')
    const sha256 = await keep(store, Buffer.from('goes'))
    const stays = await keep(store, Buffer.from('stays'))
    await store.remove(sha256)
    await store.remove(sha256)
    expect(await store.size(sha256)).toBeUndefined()
    expect((await all(store)).map((file) => file.sha256)).toEqual([stays])
    await keep(store, Buffer.from('goes'))
    expect(await store.size(sha256)).toBe(4)
  })
}

function keepsNotes(open: Open): void {
  it('notes are stored, replaced and listed separately from the files', async () => {
    const store = await open('notes')
    expect(await store.readNote('note-1.json')).toBeUndefined()
    await store.keepNote('note-1.json', '{"seq":1}')
    await store.keepNote('note-2.json', 'Gr\u00fc\u00dfe \u2713')
    await store.keepNote('note-1.json', '{"seq":2}')
    expect(await store.readNote('note-1.json')).toBe('{"seq":2}')
    expect(await store.readNote('note-2.json')).toBe('Gr\u00fc\u00dfe \u2713')
    expect(await store.listNotes()).toEqual(['note-1.json', 'note-2.json'])
    expect(await all(store)).toEqual([])
  })

  it('a note whose name leads to another folder is refused', async () => {
    const store = await open('notes')
    for (const name of ['../x', 'a/b', '', '.hidden', 'x'.repeat(122)])
      await expect(store.keepNote(name, 'text')).rejects.toBeInstanceOf(StoreError)
  })

  it('a note name may begin with a dash or an underscore, and have 121 characters', async () => {
    const store = await open('named')
    for (const name of ['-dash', '_line', 'x'.repeat(121)]) {
      await store.keepNote(name, `\uFEFF${name}`)
      expect(await store.readNote(name)).toBe(`\uFEFF${name}`)
    }
  })
}

/** Stores content as a download does: in pieces, then by its hash. */
export async function keep(store: FileStore, content: Buffer): Promise<string> {
  const draft = await store.receive()
  for (let at = 0; at < content.length; at += 65_536)
    await draft.write(content.subarray(at, at + 65_536))
  const sha256 = hashOf(content)
  await draft.keep(sha256)
  await store.flush()
  return sha256
}

export function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

export async function bytesOf(store: FileStore, sha256: string): Promise<Buffer> {
  const pieces = await store.read(sha256)
  if (pieces === undefined) throw new Error('no such file')
  return Buffer.concat(await collect(pieces))
}

export async function all(store: FileStore): Promise<StoredFile[]> {
  const files = await collect(store.list())
  return files.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
