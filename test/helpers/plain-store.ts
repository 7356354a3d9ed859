import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileStore } from '../../src/store/store.ts'

/** A minimal store in a folder, for tests of code that uses stored files. */
export function plainStore(directory: string): FileStore {
  const file = (sha256: string): string => join(directory, 'files', sha256)
  const note = (name: string): string => join(directory, 'notes', name)
  return {
    place: directory,
    open: async () => void (await mkdir(join(directory, 'files'), { recursive: true })),
    examine: () => Promise.resolve(),
    async receive() {
      const draft = join(directory, `draft-${randomBytes(6).toString('hex')}`)
      await writeFile(draft, '')
      return {
        write: (piece) => appendFile(draft, piece),
        keep: (sha256) => rename(draft, file(sha256)),
        discard: () => rm(draft),
      }
    },
    flush: () => Promise.resolve(),
    read: async (sha256) => {
      const found = await orNothing(stat(file(sha256)))
      return found === undefined ? undefined : createReadStream(file(sha256))
    },
    size: async (sha256) => (await orNothing(stat(file(sha256))))?.size,
    async *list() {
      for (const sha256 of (await orNothing(readdir(join(directory, 'files')))) ?? [])
        yield { sha256, size: (await stat(file(sha256))).size }
    },
    remove: (sha256) => rm(file(sha256), { force: true }),
    async keepNote(name, text) {
      await mkdir(dirname(note(name)), { recursive: true })
      await writeFile(`${note(name)}.part`, text)
      await rename(`${note(name)}.part`, note(name))
    },
    readNote: (name) => orNothing(readFile(note(name), 'utf8')),
    async listNotes() {
      const folder = join(directory, 'notes')
      const entries = await orNothing(readdir(folder, { recursive: true, withFileTypes: true }))
      return (entries ?? [])
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    },
    close: () => Promise.resolve(),
  }
}

async function orNothing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
