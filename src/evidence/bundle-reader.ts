import type { Entry, ZipFile } from 'yauzl'
import { ConfigurationError } from '../core/errors/errors.ts'
import { CHECK_THE_PATH, whyNotOpened } from '../core/errors/unopened-file.ts'
import { memberKind } from './bundle-format.ts'
import { openZip } from './zip-file.ts'

/** A bundle's members, read where they lie: nothing is ever unpacked to a file. */
export interface BundleReader {
  names(): IterableIterator<string>
  has(name: string): boolean
  /** The bytes that the member says it has; reading it never gives more. 0 where there is none. */
  size(name: string): number
  /** The member's bytes in pieces; ends with an error where they cannot be unpacked. */
  read(name: string): AsyncIterable<Uint8Array>
  /** A small member as a whole; undefined when there is none, or it is too large to be what it is called. */
  readSmall(name: string): Promise<Buffer | undefined>
  /** The same, and undefined too where it cannot be unpacked: named where all members are read. */
  readPart(name: string): Promise<Buffer | undefined>
  close(): void
}

/**
 * Opens a bundle. Throws, with exit code 2, where the file is none: not a zip, a name twice, names that climb
 * out of a folder, or sizes that no bundle has.
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
  let bytes = 0
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName, uncompressedSize, compressedSize } = entry
      if (found.has(fileName)) throw new Error('the same name twice')
      if (entry.isEncrypted()) throw new Error('an encrypted member')
      const ratioFree = uncompressedSize <= RATIO_FREE_BYTES || holdsRecords(fileName)
      if (!ratioFree && uncompressedSize > MOST_RATIO * compressedSize)
        throw new Error('a member that unpacks to far more than it is')
      bytes += uncompressedSize
      found.set(fileName, slim(entry))
      if (found.size > MOST_MEMBERS || bytes > MOST_BYTES) throw new Error('more than a bundle has')
    }
  } catch (error) {
    throw unreadable(path, error)
  }
  return found
}

/** Of millions of members what only the list of them needed would be most of what is held. */
function slim(entry: Entry): Entry {
  const raw = { fileNameRaw: NOTHING, extraFieldRaw: NOTHING, fileCommentRaw: NOTHING }
  return Object.assign(entry, { ...raw, extraFields: NO_FIELDS, fileComment: '', comment: '' })
}

/** What the service sent may be one letter a million times; it is read as a stream, line by line. */
function holdsRecords(name: string): boolean {
  return ['record', 'records'].includes(memberKind(name))
}

function reader(zip: ZipFile, found: ReadonlyMap<string, Entry>): BundleReader {
  const read = async function* (name: string): AsyncGenerator<Uint8Array> {
    const entry = found.get(name)
    if (entry !== undefined)
      for await (const piece of await zip.openReadStreamPromise(entry)) yield piece as Uint8Array
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

/** The same bundle with some of its members alone: no other can be read through it, whatever asks for it. */
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

const NOTHING = Buffer.alloc(0)
const NO_FIELDS: Entry['extraFields'] = []
/** Of a member that is read as a whole. */
export const SMALL_BYTES = 2 ** 20
const MOST_MEMBERS = 5_000_000
const MOST_BYTES = 2 ** 43
/** Text of our own packs well; a thousand to one is a trap. */
const MOST_RATIO = 250
const RATIO_FREE_BYTES = 2 ** 24
