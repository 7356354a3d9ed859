import { close, constants, fdatasync, open, rename, write, writev } from 'node:fs'
import { promisify } from 'node:util'

/** File calls on plain descriptors: for small files, the objects of `fs/promises` cost more than the I/O. */
export const openFile: (path: string, flags: number, mode: number) => Promise<number> =
  promisify(open)
export const closeFile: (file: number) => Promise<void> = promisify(close)
export const flushData: (file: number) => Promise<void> = promisify(fdatasync)
export const renameFile: (from: string, to: string) => Promise<void> = promisify(rename)

/** Writes all pieces, in several calls if a full disk or a signal cuts a write short without an error. */
export async function writeAll(file: number, pieces: readonly Uint8Array[]): Promise<void> {
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

/** Creates a file; never replaces an existing one or follows a link. */
export const NEW_FILE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
