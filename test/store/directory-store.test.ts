import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StoreError } from '../../src/core/errors.ts'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import type { FileStore } from '../../src/store/store.ts'
import { storeFault } from '../../src/store/store-fault.ts'
import { storedFiles } from '../helpers/archive-files.ts'
import { useDirectoryStore } from '../helpers/directory-store.ts'
import { storeInProcess } from '../helpers/store-process.ts'

let root: string
let place: string
let store: FileStore
useDirectoryStore((opened) => ({ root, place, store } = opened))

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const pathOf = (sha256: string): string => join(place, 'files', sha256.slice(0, 1), sha256)

async function keep(text: string): Promise<string> {
  const draft = await store.receive()
  for (let at = 0; at < text.length; at += 70_000)
    await draft.write(Buffer.from(text.slice(at, at + 70_000)))
  await draft.keep(hashOf(text))
  return hashOf(text)
}

async function textOf(sha256: string): Promise<string | undefined> {
  const pieces = await store.read(sha256)
  if (pieces === undefined) return undefined
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all).toString()
}

describe('a store in a directory', () => {
  it.each([0, 1, 20_000, 65_536, 1_000_000])(
    'returns a stored file of %i bytes',
    async (length) => {
      const text = 'a'.repeat(length)
      const sha256 = await keep(text)
      await store.flush()
      expect(await textOf(sha256)).toBe(text)
      expect(await store.size(sha256)).toBe(length)
      expect(storedFiles(place)).toEqual({ names: [sha256], wrong: [], left: [] })
    },
  )

  it('can be examined during a write, without an effect on the write', async () => {
    const draft = await store.receive()
    await draft.write(Buffer.alloc(70_000, 'a'))
    const before = readdirSync(root, { recursive: true })
    const other = createDirectoryStore(place)
    await other.examine()
    await other.close()
    expect(readdirSync(root, { recursive: true })).toEqual(before)
    await draft.keep(hashOf('a'.repeat(70_000)))
    expect(storedFiles(place)).toEqual({
      names: [hashOf('a'.repeat(70_000))],
      wrong: [],
      left: [],
    })
  })

  it('stores equal content once, and lists its files', async () => {
    const texts = ['one', 'two', 'one', 'three', 'two']
    for (const text of texts) await keep(text)
    const listed: string[] = []
    for await (const { sha256, size } of store.list()) listed.push(`${sha256} ${size}`)
    const due = ['one', 'two', 'three'].map((text) => `${hashOf(text)} ${text.length}`)
    expect(listed.toSorted()).toEqual(due.toSorted())
    await store.remove(hashOf('one'))
    await store.remove(hashOf('one'))
    expect(await store.size(hashOf('one'))).toBeUndefined()
    expect(await textOf(hashOf('one'))).toBeUndefined()
    expect(await textOf(hashOf('two'))).toBe('two')
  })

  it('removes a discarded draft, small or large', async () => {
    for (const length of [3, 200_000]) {
      const draft = await store.receive()
      await draft.write(Buffer.alloc(length))
      await draft.discard()
      await draft.discard()
    }
    expect(storedFiles(place)).toEqual({ names: [], wrong: [], left: [] })
  })

  it('removes the drafts of a killed process, and nothing else', async () => {
    const kept = await keep('kept')
    const draft = await store.receive()
    await draft.write(Buffer.alloc(200_000))
    writeFileSync(join(place, 'incoming', 'someone-1.part'), 'half')
    expect(storedFiles(place).left).toHaveLength(2)
    const next = createDirectoryStore(place)
    await next.open()
    await next.close()
    expect(storedFiles(place)).toEqual({ names: [kept], wrong: [], left: [] })
    await draft.discard()
  })

  it('is readable only by its owner', async () => {
    const sha256 = await keep('secret')
    await store.keepNote('note.json', '{}')
    expect(statSync(pathOf(sha256)).mode & 0o777).toBe(0o600)
    expect(statSync(join(place, 'notes', 'note.json')).mode & 0o777).toBe(0o600)
    const folders = readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name))
    expect(folders.length).toBeGreaterThan(16)
    for (const folder of [place, ...folders]) expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('replaces a changed file when its content is stored again', async () => {
    const sha256 = await keep('right')
    writeFileSync(pathOf(sha256), 'wrong')
    await keep('right')
    expect(await textOf(sha256)).toBe('right')
  })

  it('stores the last note of each name', async () => {
    await store.keepNote('note-1.json', 'a')
    await store.keepNote('note-1.json', 'b\u{1f600}')
    await store.keepNote('note-2.json', '')
    expect(await store.readNote('note-1.json')).toBe('b\u{1f600}')
    expect(await store.readNote('note-2.json')).toBe('')
    expect(await store.readNote('note-3.json')).toBeUndefined()
    expect((await store.listNotes()).toSorted()).toEqual(['note-1.json', 'note-2.json'])
  })
})

describe('a name in a store', () => {
  const names = () => [
    ...'|.|..|../x|../../etc/passwd|/etc/passwd|a/b|a\\b|C:x|nul\0|CON'.split('|'),
    'x'.repeat(300),
    `${'a'.repeat(63)}g`,
    'A'.repeat(64),
    'a'.repeat(65),
    `${'a'.repeat(64)}\n`,
  ]
  it.each(names())('that is not a hash is refused: %j', async (name) => {
    const draft = await store.receive()
    await draft.write(Buffer.from('x'))
    await expect(draft.keep(name)).rejects.toMatchObject({ code: 'store_name' })
    await expect(store.read(name)).rejects.toMatchObject({ code: 'store_name' })
    await expect(store.size(name)).rejects.toMatchObject({ code: 'store_name' })
    await expect(store.remove(name)).rejects.toMatchObject({ code: 'store_name' })
    expect(storedFiles(place)).toEqual({ names: [], wrong: [], left: [] })
    expect(readdirSync(root)).toEqual(['archive'])
  })

  it.each(['', '..', '../x', '.hidden', 'a/b', 'a b', 'x'.repeat(200)])(
    'of a note that is not a plain name is refused: %j',
    async (name) => {
      await expect(store.keepNote(name, 'x')).rejects.toBeInstanceOf(StoreError)
      await expect(store.readNote(name)).rejects.toBeInstanceOf(StoreError)
    },
  )
})

describe('a link that somebody planted', () => {
  it('in place of a folder is refused', async () => {
    const elsewhere = join(root, 'elsewhere')
    mkdirSync(elsewhere)
    for (const name of ['files', 'incoming', 'notes', join('files', '7')]) {
      const other = join(root, `other-${name.replace('/', '-')}`)
      mkdirSync(join(other, 'files'), { recursive: true })
      rmSync(join(other, name), { recursive: true, force: true })
      symlinkSync(elsewhere, join(other, name))
      const linked = createDirectoryStore(other)
      await expect(linked.open()).rejects.toMatchObject({ code: 'store_linked' })
      await linked.close()
    }
    expect(readdirSync(elsewhere)).toEqual([])
  })

  it('in place of a file is never followed, and is replaced by the file', async () => {
    const target = join(root, 'target')
    writeFileSync(target, 'precious')
    const sha256 = hashOf('content')
    symlinkSync(target, pathOf(sha256))
    await expect(store.read(sha256)).rejects.toMatchObject({ code: 'store_linked' })
    expect(await store.size(sha256)).toBeUndefined()
    await keep('content')
    expect(readFileSync(target, 'utf8')).toBe('precious')
    expect(lstatSync(pathOf(sha256)).isSymbolicLink()).toBe(false)
    expect(await textOf(sha256)).toBe('content')
  })
})

describe('a disk error', () => {
  it.each([
    ['ENOSPC', 'store_full', 'free some space'],
    ['EDQUOT', 'store_full', 'free some space'],
    ['EFBIG', 'store_full', 'ulimit -f'],
    ['EACCES', 'store_forbidden', 'make the user that runs callsheet the owner'],
    ['EPERM', 'store_forbidden', 'make the user that runs callsheet the owner'],
    ['EROFS', 'store_read_only', 'mount the file system writable'],
    ['EMFILE', 'store_failed', 'ulimit -n'],
    ['EIO', 'store_failed', 'check the disk'],
  ])('%s is reported with a remedy', (code, ours, todo) => {
    const error = storeFault(Object.assign(new Error('x'), { code }), { tried: 'Keeping', place })
    expect(error).toMatchObject({ code: ours })
    expect(error.message).toContain(todo)
    expect(error.message).toContain(place)
  })

  it('names the setting for the full disk, even if it is not the archive’s setting', () => {
    const given = { tried: 'Keeping', place, setting: 'stateDirectory' }
    const error = storeFault(Object.assign(new Error('x'), { code: 'ENOSPC' }), given)
    expect(error.message).toContain('set stateDirectory to a path on a larger disk')
    expect(error.message).not.toContain('SETTING')
  })

  it.each([
    ['a file', { bytes: 400_000 }, 64],
    ['a small file', { bytes: 20_000 }, 4],
  ])('leaves no partial file if %s exceeds the limit on file sizes', async (...given) => {
    const [, order, most] = given
    const said = await storeInProcess({ place, humble: false, ...order }, `ulimit -f ${most}`)
    expect(said).toBe('store_full')
    expect(storedFiles(place)).toEqual({ names: [], wrong: [], left: [] })
  })

  it('leaves nothing behind if the user may not write', async () => {
    const forbidden = join(root, 'forbidden')
    mkdirSync(forbidden, { mode: 0o500 })
    const order = { place: join(forbidden, 'main'), bytes: 10, humble: true }
    expect(await storeInProcess(order)).toBe('store_forbidden')
    expect(existsSync(join(forbidden, 'main'))).toBe(false)
  })
})
