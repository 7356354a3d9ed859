import { inflateRawSync } from 'node:zlib'
import type { Entry, ZipFile } from 'yauzl'
import { ConfigurationError } from '../core/errors/errors.ts'
import { CHECK_THE_PATH, whyNotOpened } from '../core/errors/unopened-file.ts'
import { memberKind } from './bundle-format.ts'
import { openZip } from './zip-file.ts'

/** A bundle's members, read in place: nothing is unpacked to a file. */
export interface BundleReader {
  names(): IterableIterator<string>
  has(name: string): boolean
  /** The bytes that the member claims to have; reading never returns more. 0 if there is no such member. */
  size(name: string): number
  /** The member's bytes in pieces; ends with an error where they cannot be unpacked. */
  read(name: string): AsyncIterable<Uint8Array>
  /** A small member as a whole; undefined if there is none, or if it is too large for its name. */
  readSmall(name: string): Promise<Buffer | undefined>
  /** The same, but also undefined where it cannot be unpacked: the read of all members reports that. */
  readPart(name: string): Promise<Buffer | undefined>
  close(): void
}

/**
 * Opens a bundle. Throws with exit code 2 if the file is not a bundle: not a zip, a name that occurs twice,
 * names that lead out of a folder, or impossible sizes.
 */
export async function readBundle(path: string): Promise<BundleReader> {
  const zip = await open(path)
  try {
    return reader(zip, await members(zip, path))
  } catch (error) {
    zip.close()
    throw error
  }
}

async function open(path: string): Promise<ZipFile> {
  try {
    return await openZip(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

async function members(zip: ZipFile, path: string): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>()
  let [bytes, packed, loose, folders] = [0, 0, 0, 0]
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName, uncompressedSize, compressedSize } = entry
      // Whoever packs a bundle again has folders in it, which hold nothing themselves.
      if (fileName.endsWith('/') && uncompressedSize === 0 && ++folders <= MOST_FOLDERS) continue
      if (found.has(fileName)) throw new Error('the same name twice')
      if (entry.isEncrypted()) throw new Error('an encrypted member')
      if (uncompressedSize > MOST_RATIO * compressedSize) {
        loose += uncompressedSize
        const free = uncompressedSize <= LOOSE_BYTES || holdsRecords(fileName)
        if (!free || loose > MOST_LOOSE_BYTES)
          throw new Error('a member that unpacks to far more than it is')
      }
      packed += compressedSize
      if (packed > zip.fileSize) throw new Error('members that lie over one another')
      bytes += uncompressedSize
      found.set(fileName, slim(entry))
      if (found.size > MOST_MEMBERS || bytes > MOST_BYTES) throw new Error('more than a bundle has')
    }
  } catch (error) {
    throw unreadable(path, error)
  }
  return found
}

/** Drops what only the list of members needs: with millions of members, that is most of the memory. */
function slim(entry: Entry): Entry {
  const raw = { fileNameRaw: NOTHING, extraFieldRaw: NOTHING, fileCommentRaw: NOTHING }
  return Object.assign(entry, { ...raw, extraFields: NO_FIELDS, fileComment: '', comment: '' })
}

/** Records may compress extremely well (one letter a million times). They are read as a stream, by line. */
function holdsRecords(name: string): boolean {
  return ['record', 'records'].includes(memberKind(name))
}

function reader(zip: ZipFile, found: ReadonlyMap<string, Entry>): BundleReader {
  const read = async function* (name: string): AsyncGenerator<Uint8Array, undefined> {
    const entry = found.get(name)
    if (entry === undefined) return
    if (isShort(entry)) yield await unpacked(zip, entry)
    else for await (const piece of await zip.openReadStreamPromise(entry)) yield piece as Uint8Array
  }
  const readSmall = async (name: string): Promise<Buffer | undefined> => {
    const entry = found.get(name)
    if (entry === undefined || entry.uncompressedSize > SMALL_BYTES) return undefined
    const pieces: Uint8Array[] = []
    for await (const piece of read(name)) pieces.push(piece)
    return Buffer.concat(pieces)
  }
  return {
    names: () => found.keys(),
    has: (name) => found.has(name),
    size: (name) => found.get(name)?.uncompressedSize ?? 0,
    read,
    readSmall,
    readPart: (name) => readSmall(name).catch(() => undefined),
    close: () => zip.close(),
  }
}

/** Packed, and small both ways: a stream to unpack it would cost more than all else that is done with it. */
function isShort({ compressionMethod, compressedSize, uncompressedSize }: Entry): boolean {
  return compressionMethod === DEFLATED && Math.max(compressedSize, uncompressedSize) <= SHORT_BYTES
}

async function unpacked(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const packed: Uint8Array[] = []
  for await (const piece of await zip.openReadStreamPromise(entry, { decodeFileData: false }))
    packed.push(piece as Uint8Array)
  const { uncompressedSize } = entry
  const bytes = inflateRawSync(Buffer.concat(packed), { maxOutputLength: uncompressedSize + 1 })
  if (bytes.length === uncompressedSize) return bytes
  throw new Error(`it has ${bytes.length} bytes and says ${uncompressedSize}`)
}

/** The same bundle, restricted to some of its members: no other member can be read through it. */
export function onlyMembers(
  bundle: BundleReader,
  named: { has(name: string): boolean },
): BundleReader {
  const has = (name: string): boolean => named.has(name) && bundle.has(name)
  return {
    names: () => Iterator.from(bundle.names()).filter((name) => named.has(name)),
    has,
    size: (name) => (has(name) ? bundle.size(name) : 0),
    async *read(name) {
      if (has(name)) yield* bundle.read(name)
    },
    readSmall: async (name) => (has(name) ? await bundle.readSmall(name) : undefined),
    readPart: async (name) => (has(name) ? await bundle.readPart(name) : undefined),
    close: () => bundle.close(),
  }
}

function unreadable(path: string, error: unknown): ConfigurationError {
  const unopened = whyNotOpened(error)
  return new ConfigurationError('bundle_unreadable', {
    tried: `Reading the bundle ${path}`,
    expected: 'a zip file that callsheet audit export wrote',
    came: unopened ?? (error as Error).message,
    todo: unopened === undefined ? 'get the file again from whoever made it' : CHECK_THE_PATH,
    cause: error,
  })
}

const DEFLATED = 8
const SHORT_BYTES = 2 ** 16
const NOTHING = Buffer.alloc(0)
const NO_FIELDS: Entry['extraFields'] = []
/** The most bytes of a member that is read as a whole. */
export const SMALL_BYTES = 2 ** 20
const MOST_MEMBERS = 5_000_000
/** A bundle has six. */
const MOST_FOLDERS = 1_000
const MOST_BYTES = 2 ** 43
/** Our text packs ten to one; a ratio of a thousand to one means a zip bomb. */
const MOST_RATIO = 100
/** What packs better than that may be so large, each and all together: small members, and odd records. */
const LOOSE_BYTES = 2 ** 24
const MOST_LOOSE_BYTES = 2 ** 27
