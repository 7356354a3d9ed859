import { close, constants, fdatasync, open, rename, write, writev } from 'node:fs'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { point } from '../core/kill-point.ts'

/** A file of any length under a temporary name. */
export interface DraftFile {
  /** Returns true if `MOST_WAITING_BYTES` are waiting to be written. */
  add(piece: Uint8Array): boolean
  writeOut(): Promise<void>
  /** Flushes the file to disk, then gives it its final name. */
  keep(path: string): Promise<void>
  discard(): Promise<void>
}

/** The file is created when the first bytes are written. */
export function draftFile(temporary: string): DraftFile {
  let file: number | undefined
  let exists = false
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  const writeOut = async (): Promise<number> => {
    file ??= await openFile(temporary, NEW_FILE, 0o600)
    exists = true
    if (waitingBytes === 0) return file
    await point('draft:opened')
    const pieces = waiting
    waiting = []
    waitingBytes = 0
    await writeAll(file, pieces)
    await point('draft:written')
    return file
  }
  const close = async (): Promise<void> => {
    const open = file
    file = undefined
    if (open !== undefined) await closeFile(open)
  }
  return {
    add(piece) {
      waiting.push(piece)
      waitingBytes += piece.length
      return waitingBytes >= MOST_WAITING_BYTES
    },
    writeOut: async () => void (await writeOut()),
    async keep(path) {
      await flushData(await writeOut())
      await point('draft:synced')
      // Closed first, so that nobody can still write to a file with a final name.
      await close()
      await renameFile(temporary, path)
      exists = false
    },
    async discard() {
      waiting = []
      waitingBytes = 0
      // The caller reports the original error; the next run removes files that cannot be removed now.
      await close().catch(() => {})
      if (exists) await rm(temporary, { force: true }).catch(() => {})
      exists = false
    },
  }
}

/** File calls on plain descriptors: for small files, the objects of `fs/promises` cost more than the I/O. */
const openFile: (path: string, flags: number, mode: number) => Promise<number> = promisify(open)

const closeFile: (file: number) => Promise<void> = promisify(close)

const flushData: (file: number) => Promise<void> = promisify(fdatasync)

const renameFile: (from: string, to: string) => Promise<void> = promisify(rename)

/** Writes all pieces, in several calls if a full disk or a signal cuts a write short without an error. */
async function writeAll(file: number, pieces: readonly Uint8Array[]): Promise<void> {
  const total = pieces.reduce((sum, { length }) => sum + length, 0)
  const written = await writePieces(file, pieces)
  if (written === total) return
  const rest = Buffer.concat(pieces).subarray(written)
  for (let at = 0; at < rest.length; ) at += await writePart(file, rest.subarray(at))
}

function writePieces(file: number, pieces: readonly Uint8Array[]): Promise<number> {
  return new Promise((resolve, reject) =>
    writev(file, pieces, (error, written) => (error === null ? resolve(written) : reject(error))),
  )
}

function writePart(file: number, part: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) =>
    write(file, part, (error, written) => (error === null ? resolve(written) : reject(error))),
  )
}

const MOST_WAITING_BYTES = 64 * 1024
/** Creates a file; never replaces an existing one or follows a link. */
const NEW_FILE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
