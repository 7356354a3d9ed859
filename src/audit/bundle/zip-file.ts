import { fstatSync, openSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createInflateRaw, inflateRawSync } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl'
import { AheadReader } from './ahead-reader.ts'

/** What is kept of a member to read it: the list's own entries would take most of the memory. */
export interface Member {
  at: number
  packed: number
  bytes: number
  method: number
}

/** A zip file that is open for reading. */
export interface OpenZip {
  /** The bytes of the whole file. */
  bytes: number
  /** As the file's list of members has them. */
  entries(): AsyncIterable<Entry>
  /**
   * The member's bytes in pieces, each of which stands until the next one is asked for; ends with an error
   * where they cannot be unpacked to what it says.
   */
  read(member: Member): AsyncGenerator<Uint8Array, undefined>
  close(): void
}

/** Opens a zip file to read it member by member; throws the errors of the system or the format. */
export async function openZip(path: string): Promise<OpenZip> {
  const fd = openSync(path, 'r')
  const reader = new AheadReader(fd)
  try {
    const { size: bytes } = fstatSync(fd)
    const zip = await fromRandomAccessReaderPromise(reader, bytes, {
      lazyEntries: true,
      autoClose: false,
      strictFileNames: true,
      validateEntrySizes: true,
    })
    return {
      bytes,
      entries: () => zip.eachEntry(),
      read: (member) => unpacked(zip, reader, member),
      close: () => zip.close(),
    }
  } catch (error) {
    await new Promise<void>((done) => reader.close(() => done()))
    throw error
  }
}

export function memberOf(entry: Entry): Member {
  const { relativeOffsetOfLocalHeader: at, compressionMethod: method } = entry
  return { at, packed: entry.compressedSize, bytes: entry.uncompressedSize, method }
}

async function* unpacked(
  zip: ZipFile,
  reader: AheadReader,
  { at, packed, bytes: size, method }: Member,
): AsyncGenerator<Uint8Array, undefined> {
  if (method !== STORED && method !== DEFLATED)
    throw new Error(`unsupported compression method: ${method}`)
  // It asks for no more of an entry.
  const entry = { relativeOffsetOfLocalHeader: at, compressedSize: packed } as Entry
  const { fileDataStart: start } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
  const pieces = reader.pieces(start, start + packed)
  if (method === STORED) yield* pieces
  // A stream to unpack a small member would cost more than all else that is done with it.
  else if (Math.max(packed, size) <= SHORT_BYTES) yield await inflatedAtOnce(pieces, size)
  else yield* inflated(pieces, size)
  return undefined
}

async function inflatedAtOnce(pieces: AsyncIterable<Buffer>, size: number): Promise<Buffer> {
  const packed: Buffer[] = []
  for await (const piece of pieces) packed.push(Buffer.from(piece))
  const bytes = inflateRawSync(Buffer.concat(packed), { maxOutputLength: size + 1 })
  if (bytes.length !== size) throw otherSize(bytes.length, size)
  return bytes
}

async function* inflated(pieces: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES })
  // The loop below gets the error as well.
  pipeline(Readable.from(copies(pieces), { objectMode: false }), inflate, () => undefined)
  let bytes = 0
  for await (const piece of inflate as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > size) throw otherSize(`more than ${size}`, size)
    yield piece
  }
  if (bytes !== size) throw otherSize(bytes, size)
}

/** A stream asks for the next piece before it is done with one. */
async function* copies(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

function otherSize(bytes: number | string, size: number): Error {
  return new Error(`it has ${bytes} bytes and says ${size}`)
}

const STORED = 0
const DEFLATED = 8
const SHORT_BYTES = 2 ** 16
const PIECE_BYTES = 2 ** 16
