import { memberKind } from './bundle-format.ts'
import type { BundleSource } from './source.ts'
import { inPlace, type Member, type Unpack, Zip } from './zip.ts'

/** A bundle's members, read in place: nothing is unpacked to a file. */
export interface BundleReader {
  names(): IterableIterator<string>
  has(name: string): boolean
  /** The member's stated size; reading never returns more bytes. 0 if the member does not exist. */
  size(name: string): number
  /**
   * The member's bytes in pieces; each is valid until the next one is requested. Throws if they cannot be
   * unpacked.
   */
  read(name: string): AsyncIterable<Uint8Array>
  /** Returns a small member as a whole; undefined if it does not exist or is larger than `SMALL_BYTES`. */
  readSmall(name: string): Promise<Buffer | undefined>
  /** Like `readSmall`, but undefined if the member cannot be unpacked: `checkMembers` reports that. */
  readPart(name: string): Promise<Buffer | undefined>
  /** Waits for pending reads. */
  settle(): Promise<void>
}

/**
 * Opens a bundle. Throws if the file is not a zip, if other programs may find other members in it, if a name
 * leads outside the folder, or if sizes are impossible.
 */
export async function openBundle(source: BundleSource, unpack: Unpack): Promise<BundleReader> {
  const zip = await Zip.open(source, unpack)
  try {
    return reader(zip, await members(zip))
  } catch (error) {
    await zip.settle()
    throw error
  }
}

async function members(zip: Zip): Promise<Map<string, Member>> {
  const found = new Map<string, Member>()
  const folders = new Map<string, Member>()
  let [total, loose] = [0, 0]
  for await (const { name, ...place } of zip.entries()) {
    const { packed, bytes } = place
    if (found.has(name) || folders.has(name)) throw new Error('it has two members of the same name')
    // Repacking a bundle adds folder entries, which have no content.
    const isFolder = name.endsWith('/') && packed === 0 && folders.size < MOST_FOLDERS
    ;(isFolder ? folders : found).set(name, { ...place, end: 0 })
    if (bytes > MOST_RATIO * packed) {
      loose += bytes
      const free = bytes <= LOOSE_BYTES || holdsRecords(name)
      if (!free || loose > MOST_LOOSE_BYTES)
        throw new Error('a member unpacks to more than 100 times its size')
    }
    total += bytes
    if (found.size > MOST_MEMBERS || total > MOST_BYTES)
      throw new Error('it has more members or bytes than any bundle')
  }
  inPlace([...found.values(), ...folders.values()], zip.end)
  for (const [name, folder] of folders) await readToEnd(zip.read(name, folder))
  return found
}

async function readToEnd(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) void piece
}

/** Whether a member has records: they may compress extremely well, and reading them needs little memory. */
function holdsRecords(name: string): boolean {
  return ['record', 'records'].includes(memberKind(name))
}

function reader(zip: Zip, found: ReadonlyMap<string, Member>): BundleReader {
  const read = (name: string): AsyncIterable<Uint8Array> => {
    const member = found.get(name)
    return member === undefined ? noPieces() : zip.read(name, member)
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
    settle: () => zip.settle(),
  }
}

/** Returns a view of the bundle that can read only some of its members. */
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
    settle: () => bundle.settle(),
  }
}

async function* noPieces(): AsyncGenerator<Uint8Array> {}

/** The maximum size of a member that is read as a whole. */
export const SMALL_BYTES = 2 ** 20
const MOST_MEMBERS = 5_000_000
/** The maximum number of folder entries; a repacked bundle has a few. */
const MOST_FOLDERS = 1_000
const MOST_BYTES = 2 ** 43
/** The maximum compression ratio: our text compresses ten to one, a zip bomb a thousand to one. */
const MOST_RATIO = 100
/** The size up to which members other than records may exceed the ratio: small text may be repetitive. */
const LOOSE_BYTES = 2 ** 24
/** The maximum total size of the members that exceed the ratio, records included. */
const MOST_LOOSE_BYTES = 2 ** 26
