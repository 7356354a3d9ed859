/** A folder or a bucket with the files of a lake. Names are paths below it, with `/` between their parts. */
export interface LakePlace {
  /** Where other programs find it: an absolute path, or `s3://BUCKET/PREFIX`. */
  readonly address: string
  /** Returns the bytes in pieces, or undefined if there is no such file. */
  read(name: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Stores a file, and replaces one of the same name in one step. It survives a crash of the machine. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Stores a copy of a local file in the same way. */
  putFile(name: string, file: LocalFile): Promise<void>
  /** Removes a file, if it exists. */
  remove(name: string): Promise<void>
  close(): void
}

export interface LocalFile {
  path: string
  bytes: number
  sha256: string
}

/** Reads a whole file; undefined if there is none. For files of known, small size. */
export async function readWhole(place: LakePlace, name: string): Promise<Buffer | undefined> {
  const pieces = await place.read(name)
  if (pieces === undefined) return undefined
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}
