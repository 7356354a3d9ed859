import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, opendir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { StoreError } from '../core/errors.ts'
import { point } from '../core/kill-point.ts'
import { makePrivateDirectory } from '../core/private-directory.ts'
import { type DraftOptions, openDraft } from './directory-draft.ts'
import { createDirtyFolders } from './dirty-folders.ts'
import type { FileStore, StoredFile } from './store.ts'
import { faultGuard, noRegularFile, storeFault } from './store-fault.ts'
import { fileName, noteName } from './stored-names.ts'
import { tryFolders } from './try-folders.ts'

/**
 * Stores files in one folder per account: `files/0` to `files/f` by the first digit of the hash, few enough
 * to be flushed together; `incoming` for incomplete files; `notes`. `open` refuses links in their place.
 */
export function createDirectoryStore(place: string): FileStore {
  const folders = { files: join(place, 'files'), incoming: join(place, 'incoming') }
  const notes = join(place, 'notes')
  const dirty = createDirtyFolders()
  const byDigit = new Map(DIGITS.map((digit) => [digit, join(folders.files, digit)]))
  const folderOf = (sha256: string): string => byDigit.get(fileName(sha256).charAt(0)) as string
  const guard = faultGuard({ place })
  // Drafts of this store have their own prefix, so a later process may remove them but never writes to them.
  const incoming = join(folders.incoming, randomUUID())
  let serial = 0
  const draft = (finalOf: DraftOptions['finalOf']) =>
    openDraft({ temporary: `${incoming}-${++serial}.part`, place, finalOf, dirty })
  return {
    place,
    open: () =>
      guard('Opening the archive', async () => {
        await ownFolders([place, ...Object.values(folders), notes, ...byDigit.values()])
        await clear(folders.incoming)
      }),
    examine: () =>
      guard('Trying to write', async () => {
        for (const folder of [place, ...Object.values(folders)]) await refuseLink(folder)
        await tryFolders([place, ...Object.values(folders)])
      }),
    receive: async () => draft((sha256) => ({ folder: folderOf(sha256), name: fileName(sha256) })),
    flush: () =>
      guard('Flushing the archive', async () => {
        await dirty.flush()
        await point('store:flushed')
      }),
    read: (sha256) =>
      guard('Reading a file', () => readPieces(join(folderOf(sha256), fileName(sha256)), place)),
    size: (sha256) =>
      guard('Looking for a file', () => sizeOf(join(folderOf(sha256), fileName(sha256)))),
    pathOf: (sha256) => join(folderOf(sha256), fileName(sha256)),
    names: () => listNames(folders.files, place),
    list: () => listFiles(folders.files, place),
    remove: (sha256) =>
      guard('Removing a file', async () => {
        await rm(join(folderOf(sha256), fileName(sha256)), { force: true })
        dirty.mark(folderOf(sha256))
      }),
    keepNote: (name, text) =>
      guard('Keeping a note', async () => {
        const note = draft(() => ({ folder: notes, name: noteName(name) }))
        await note.write(Buffer.from(text, 'utf8'))
        await note.keep('')
        await dirty.flush()
      }),
    readNote: (name) =>
      guard('Reading a note', async () => {
        const pieces = await readPieces(join(notes, noteName(name)), place)
        return pieces === undefined ? undefined : (await buffer(pieces)).toString('utf8')
      }),
    listNotes: () => guard('Looking for notes', () => namesIn(notes)),
    close: () => dirty.close(),
  }
}

/** Creates missing folders in the given order, parents first. Throws at the first that is not a folder. */
async function ownFolders(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    makePrivateDirectory(path)
    await refuseLink(path)
  }
}

/**
 * Throws if a path exists and is no folder. With a link as the account's folder or inside it, whoever created
 * the link would choose where files are written. `archive.directory` itself may be a link.
 */
async function refuseLink(path: string): Promise<void> {
  const found = await absent(lstat(path))
  if (found === undefined || found.isDirectory()) return
  throw new StoreError('store_linked', {
    tried: `Opening the archive at ${path}`,
    came: `the path is ${found.isSymbolicLink() ? 'a link' : 'not a folder'}`,
    todo:
      'find out who created the link or file, then remove it; to store the archive elsewhere, set ' +
      'archive.directory to that path',
  })
}

/** Removes half-written files of a killed process. They have no final name, so nothing refers to them. */
async function clear(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
}

async function readPieces(
  path: string,
  place: string,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const file = await absent(open(path, READ_AT_ONCE))
  if (file === undefined) return undefined
  if ((await file.stat()).isFile()) return piecesOf(file, place)
  await file.close()
  throw noRegularFile({ tried: 'Reading a file', place })
}

async function* piecesOf(file: FileHandle, place: string): AsyncGenerator<Uint8Array> {
  try {
    let { size: left } = await file.stat()
    for (;;) {
      // Reads one byte more than is left, to detect the end of the file. Full-size buffers for many small
      // files would dominate an export's memory, and a pooled buffer would keep its whole pool in memory.
      const most = left < 0 ? PIECE_BYTES : Math.min(PIECE_BYTES, left + 1)
      const piece = Buffer.allocUnsafeSlow(most)
      const bytes = await fill(piece, file)
      if (bytes > 0) yield piece.subarray(0, bytes)
      if (bytes < piece.length) return
      left -= bytes
    }
  } catch (error) {
    throw storeFault(error, { tried: 'Reading a file', place })
  } finally {
    await file.close()
  }
}

/** Resolves with the number of bytes read: fewer than requested at the end of the file. */
async function fill(piece: Buffer, file: FileHandle): Promise<number> {
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(piece, at, piece.length - at)
    at += bytesRead
    if (bytesRead === 0 || at === piece.length) return at
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  const found = await absent(lstat(path))
  return found?.isFile() === true ? found.size : undefined
}

async function* listNames(root: string, place: string): AsyncGenerator<string> {
  try {
    for (const digit of DIGITS) {
      const folder = await absent(opendir(join(root, digit), { bufferSize: 1_000 }))
      if (folder === undefined) continue
      for await (const entry of folder)
        if (entry.isFile() && HASH.test(entry.name)) yield entry.name
    }
  } catch (error) {
    throw storeFault(error, { tried: 'Listing the files of the archive', place })
  }
}

async function* listFiles(root: string, place: string): AsyncGenerator<StoredFile> {
  for await (const sha256 of listNames(root, place)) {
    const size = await sizeOf(join(root, sha256.slice(0, 1), sha256))
    if (size !== undefined) yield { sha256, size }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await absent(readdir(folder))) ?? []
}

async function absent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const DIGITS = '0123456789abcdef'.split('')
const HASH = /^[0-9a-f]{64}$/
const PIECE_BYTES = 256 * 1024
/** Follows no link and does not block on a pipe. Windows has neither flag. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
