import { buffer } from 'node:stream/consumers'

/** A folder or a bucket with the files of a lake. Paths are whole: they begin with the lake's address. */
export interface LakePlace {
  /** Where other programs find it: an absolute path, or `s3://BUCKET/PREFIX`. */
  readonly address: string
  /** Returns the bytes in pieces, or undefined if there is no such file. */
  read(path: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Stores a file so that it survives a crash. Replaces a file of the same path atomically. */
  put(path: string, content: LakeFile): Promise<void>
  /** Removes a file, if it exists. */
  remove(path: string): Promise<void>
}

/** The bytes of a small file, or a local file to copy. */
export type LakeFile = Uint8Array | LocalFile

export interface LocalFile {
  path: string
  bytes: number
  sha256: string
}

/** Reads a whole file into memory, so the file must be small. Undefined if there is none. */
export async function readWhole(lake: LakePlace, path: string): Promise<Buffer | undefined> {
  const pieces = await lake.read(path)
  return pieces && (await buffer(pieces))
}
