import { stat } from 'node:fs/promises'
import { ConfigurationError } from '../../core/errors.ts'
import { refuseOthers, UnfitFile } from '../../core/read-small-file.ts'
import { CHECK_THE_PATH, whyNotOpened } from '../../core/unopened-file.ts'
import { memberKind } from './bundle-format.ts'
import { type Member, memberOf, type OpenZip, openZip } from './zip-file.ts'

/** A bundle's members, read in place: nothing is unpacked to a file. */
export interface BundleReader {
  names(): IterableIterator<string>
  has(name: string): boolean
  /** The bytes that the member claims to have; reading never returns more. 0 if there is no such member. */
  size(name: string): number
  /**
   * The member's bytes in pieces, each of which stands until the next one is asked for; ends with an error
   * where they cannot be unpacked.
   */
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

async function open(path: string): Promise<OpenZip> {
  try {
    refuseOthers(await stat(path))
    return await openZip(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

async function members(zip: OpenZip, path: string): Promise<Map<string, Member>> {
  const found = new Map<string, Member>()
  let [bytes, packed, loose, folders] = [0, 0, 0, 0]
  try {
    for await (const entry of zip.entries()) {
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
      if (packed > zip.bytes) throw new Error('members that lie over one another')
      bytes += uncompressedSize
      found.set(fileName, memberOf(entry))
      if (found.size > MOST_MEMBERS || bytes > MOST_BYTES) throw new Error('more than a bundle has')
    }
  } catch (error) {
    throw unreadable(path, error)
  }
  return found
}

/** Records may compress extremely well (one letter a million times). They are read as a stream, by line. */
function holdsRecords(name: string): boolean {
  return ['record', 'records'].includes(memberKind(name))
}

function reader(zip: OpenZip, found: ReadonlyMap<string, Member>): BundleReader {
  const read = (name: string): AsyncIterable<Uint8Array> => {
    const member = found.get(name)
    return member === undefined ? noPieces() : zip.read(member)
  }
  const readSmall = async (name: string): Promise<Buffer | undefined> => {
    const member = found.get(name)
    if (member === undefined || member.bytes > SMALL_BYTES) return undefined
    const pieces: Uint8Array[] = []
    for await (const piece of read(name)) pieces.push(Buffer.from(piece))
    return Buffer.concat(pieces)
  }
  return {
    names: () => found.keys(),
    has: (name) => found.has(name),
    size: (name) => found.get(name)?.bytes ?? 0,
    read,
    readSmall,
    readPart: (name) => readSmall(name).catch(() => undefined),
    close: () => zip.close(),
  }
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
    read: (name) => (has(name) ? bundle.read(name) : noPieces()),
    readSmall: async (name) => (has(name) ? await bundle.readSmall(name) : undefined),
    readPart: async (name) => (has(name) ? await bundle.readPart(name) : undefined),
    close: () => bundle.close(),
  }
}

async function* noPieces(): AsyncGenerator<Uint8Array> {}

function unreadable(path: string, error: unknown): ConfigurationError {
  const unopened = error instanceof UnfitFile ? error.message : whyNotOpened(error)
  return new ConfigurationError('bundle_unreadable', {
    tried: `Reading the bundle ${path}`,
    expected: 'a zip file that callsheet audit export wrote',
    came: unopened ?? (error as Error).message,
    todo: unopened === undefined ? 'get the file again from whoever made it' : CHECK_THE_PATH,
    cause: error,
  })
}

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
const MOST_LOOSE_BYTES = 2 ** 26
