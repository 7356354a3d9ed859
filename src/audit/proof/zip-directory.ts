import type { AheadReader } from './ahead-reader.ts'
import { ELSEWHERE, wideFields, ZipFields } from './zip-fields.ts'

/** A member as listed at the end of a zip file. */
export interface ListedMember {
  name: string
  /** The position of the member's own header. */
  at: number
  packed: number
  bytes: number
  method: number
  flags: number
  crc: number
}

export interface Directory {
  from: number
  to: number
  /** The number of members in the list. */
  count: number
}

/** The members that a zip file lists. */
export async function* entriesIn(
  reader: AheadReader,
  { from, to, count }: Directory,
): AsyncGenerator<ListedMember> {
  let left = count
  let rest = new Uint8Array()
  for await (const piece of reader.pieces(from, to)) {
    const bytes = joined(rest, piece)
    let at = 0
    for (let end = endOf(bytes, at); end !== undefined; end = endOf(bytes, at)) {
      if (--left < 0) throw new Error(OTHER_LIST)
      yield entryIn(bytes.subarray(at, end))
      at = end
    }
    rest = bytes.slice(at)
  }
  if (left > 0 || rest.length > 0) throw new Error(OTHER_LIST)
}

/**
 * Programs find the list of members in several ways: by its position in the end record, by its size counted
 * back from that record, or by a search. Accepts a file only if all of them find the same list: the list ends
 * where the end record (with ZIP64, the first of two) begins, and the file ends with the end record.
 */
export async function directoryOf(reader: AheadReader, size: number): Promise<Directory> {
  const at = size - END_BYTES
  if (at < 0) throw new Error(NO_ZIP)
  const end = new ZipFields(await reader.bytes(at, size))
  if (end.long(0) !== END) throw new Error(NO_ZIP)
  if (end.long(4) !== 0 || end.short(8) !== end.short(10) || end.short(20) !== 0)
    throw new Error(OTHER_LIST)
  const told = { count: end.short(10), bytes: end.long(12), from: end.long(16) }
  const wide = await wideEnd(reader, at)
  const isWide = told.count === MANY || told.bytes === ELSEWHERE || told.from === ELSEWHERE
  if (wide === undefined) {
    if (isWide) throw new Error(OTHER_LIST)
    return placed(told, at)
  }
  // Some programs read the ZIP64 record only if the plain end record refers to it; others always read it.
  const same =
    [wide.count, MANY].includes(told.count) &&
    [wide.bytes, ELSEWHERE].includes(told.bytes) &&
    [wide.from, ELSEWHERE].includes(told.from)
  if (!same) throw new Error(OTHER_LIST)
  return placed(wide, at - LOCATOR_BYTES - WIDE_END_BYTES)
}

interface ToldDirectory {
  count: number
  bytes: number
  from: number
}

function placed({ count, bytes, from }: ToldDirectory, to: number): Directory {
  if (from + bytes !== to) throw new Error(OTHER_LIST)
  return { from, to, count }
}

/** The end record of large files (ZIP64); undefined if there is none. */
async function wideEnd(reader: AheadReader, endAt: number): Promise<ToldDirectory | undefined> {
  if (endAt < LOCATOR_BYTES) return undefined
  const locator = new ZipFields(await reader.bytes(endAt - LOCATOR_BYTES, endAt))
  if (locator.long(0) !== LOCATOR) return undefined
  const at = endAt - LOCATOR_BYTES - WIDE_END_BYTES
  const alone = locator.long(4) === 0 && locator.wide(8) === at && locator.long(16) === 1
  if (!alone) throw new Error(OTHER_LIST)
  const end = new ZipFields(await reader.bytes(at, at + WIDE_END_BYTES))
  const fits =
    end.long(0) === WIDE_END &&
    end.wide(4) === WIDE_END_BYTES - 12 &&
    end.long(16) === 0 &&
    end.long(20) === 0 &&
    end.wide(24) === end.wide(32)
  if (!fits) throw new Error(OTHER_LIST)
  return { count: end.wide(32), bytes: end.wide(40), from: end.wide(48) }
}

/** The end of the entry that begins at a position; undefined if it is incomplete. */
function endOf(bytes: Uint8Array, at: number): number | undefined {
  if (at + ENTRY_BYTES > bytes.length) return undefined
  const fields = new ZipFields(bytes.subarray(at, at + ENTRY_BYTES))
  if (fields.long(0) !== ENTRY) throw new Error(OTHER_LIST)
  const end = at + ENTRY_BYTES + fields.short(28) + fields.short(30) + fields.short(32)
  return end > bytes.length ? undefined : end
}

function entryIn(bytes: Uint8Array): ListedMember {
  const fields = new ZipFields(bytes)
  const nameEnd = ENTRY_BYTES + fields.short(28)
  const name = nameIn(bytes.subarray(ENTRY_BYTES, nameEnd))
  const told = [fields.long(24), fields.long(20), fields.long(42)]
  const extra = bytes.subarray(nameEnd, nameEnd + fields.short(30))
  const wide = wideFields(extra, told.filter((one) => one === ELSEWHERE).length)
  const [size = 0, packed = 0, at = 0] = told.map((one) =>
    one === ELSEWHERE ? (wide.shift() ?? 0) : one,
  )
  const [flags, kind] = [fields.short(8), fields.short(40) >> 12]
  if ((flags & ENCRYPTED) !== 0) throw new Error('a member is encrypted')
  // Rejects links, which could lead out of the folder. Packers that record no permissions write 0.
  const plain = [0, FILE, FOLDER].includes(kind)
  if ((flags & ~KNOWN_FLAGS) !== 0 || !plain || fields.short(32) !== 0 || fields.short(34) !== 0)
    throw new Error('a member has attributes that no bundle uses')
  return { name, at, packed, bytes: size, method: fields.short(10), flags, crc: fields.long(16) }
}

/** A member's name as text; throws if it is not UTF-8. */
export function decodedName(bytes: Uint8Array): string {
  return NAMES.decode(bytes)
}

/** Rejects names that have control characters or lead out of the folder in which they are unpacked. */
function nameIn(bytes: Uint8Array): string {
  const name = decodedName(bytes)
  const leadsOut = /^(\/|[a-z]:)|\\|(^|\/)\.\.(\/|$)|^$/i.test(name)
  if (leadsOut || bytes.some((letter) => letter < SPACE))
    throw new Error(
      `a member has a name that cannot be unpacked safely: ${JSON.stringify(name.slice(0, 100))}`,
    )
  return name
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

const NAMES = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const NO_ZIP = 'it is not a ZIP file, or not a complete one'
const OTHER_LIST = 'its list of members does not match the end of the file'
const END = 0x0605_4b50
const END_BYTES = 22
const LOCATOR = 0x0706_4b50
const LOCATOR_BYTES = 20
const WIDE_END = 0x0606_4b50
const WIDE_END_BYTES = 56
const ENTRY = 0x0201_4b50
const ENTRY_BYTES = 46
const MANY = 0xffff
const ENCRYPTED = 1
/** The accepted flag bits: compression level, sizes after the data, a name in UTF-8. */
const KNOWN_FLAGS = 0b1000_0000_1110
const FILE = 8
const FOLDER = 4
const SPACE = 0x20
