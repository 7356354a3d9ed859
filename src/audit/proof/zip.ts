import { AheadReader } from './ahead-reader.ts'
import type { BundleSource } from './source.ts'
import {
  type Directory,
  decodedName,
  directoryOf,
  entriesIn,
  type ListedMember,
} from './zip-directory.ts'
import { ELSEWHERE, wideFields, ZipFields } from './zip-fields.ts'

/** The data needed to read a member. */
export interface Member extends Omit<ListedMember, 'name'> {
  /** The position of the next member, or of the list after the last member. */
  end: number
}

/**
 * Unpacks bytes (RFC 1951) in pieces; each is valid until the next one is requested. Throws if they are
 * malformed or if bytes remain after their end.
 */
export type Unpack = (
  packed: AsyncIterable<Uint8Array>,
  sizes: { packed: number; bytes: number },
) => AsyncIterable<Uint8Array>

export class Zip {
  readonly size: number
  readonly #reader: AheadReader
  readonly #unpack: Unpack
  readonly #directory: Directory

  private constructor(
    {
      source,
      reader,
      directory,
    }: { source: BundleSource; reader: AheadReader; directory: Directory },
    unpack: Unpack,
  ) {
    this.size = source.size
    this.#reader = reader
    this.#directory = directory
    this.#unpack = unpack
  }

  static async open(source: BundleSource, unpack: Unpack): Promise<Zip> {
    const reader = new AheadReader(source)
    try {
      return new Zip({ source, reader, directory: await directoryOf(reader, source.size) }, unpack)
    } catch (error) {
      await reader.settle()
      throw error
    }
  }

  /** The members in the order of the file's list. */
  entries(): AsyncIterable<ListedMember> {
    return entriesIn(this.#reader, this.#directory)
  }

  /** The position of the list of members. */
  get end(): number {
    return this.#directory.from
  }

  /**
   * Returns the member's bytes in pieces; each is valid until the next one is requested. Throws if the
   * member's own header differs from the list, if unknown bytes precede the next member, or if the unpacked
   * size or checksum is wrong.
   */
  async *read(name: string, member: Member): AsyncGenerator<Uint8Array, undefined> {
    const { packed, bytes, method } = member
    if (method !== STORED && method !== DEFLATED)
      throw new Error(`unsupported compression method: ${method}`)
    const start = await this.#expectHeader(name, member)
    const pieces = this.#reader.pieces(start, start + packed)
    let read = 0
    for await (const piece of method === STORED ? pieces : this.#unpack(pieces, member)) {
      read += piece.length
      if (read > bytes) throw otherSize(`more than ${bytes}`, bytes)
      yield piece
    }
    if (read !== bytes) throw otherSize(String(read), bytes)
    await this.#expectEnd(start + packed, member)
    return undefined
  }

  /** Waits for pending reads. */
  async settle(): Promise<void> {
    await this.#reader.settle()
  }

  /** Returns where a member's bytes begin. Throws if its own header, which some programs trust, differs. */
  async #expectHeader(name: string, member: Member): Promise<number> {
    const { at, packed, end } = member
    const header = new ZipFields(await this.#reader.bytes(at, at + HEADER_BYTES))
    if (header.long(0) !== HEADER) throw new Error(OTHER_HEADER)
    const nameAt = at + HEADER_BYTES
    const extraAt = nameAt + header.short(26)
    const start = extraAt + header.short(28)
    if (start + packed > end) throw new Error('members overlap')
    const more = await this.#reader.bytes(nameAt, start)
    const told = decodedName(more.subarray(0, extraAt - nameAt))
    if (told !== name || !fitsList(header, { extra: more.subarray(extraAt - nameAt), member }))
      throw new Error(OTHER_HEADER)
    return start
  }

  /** Throws unless the next member follows, after a data descriptor if the flags require one. */
  async #expectEnd(from: number, member: Member): Promise<void> {
    const length = member.end - from
    const fits =
      (member.flags & FOLLOWED) === 0
        ? length === 0
        : AFTER_BYTES.has(length) &&
          fitsAfter(new ZipFields(await this.#reader.bytes(from, member.end)), member)
    if (!fits) throw new Error('unexpected bytes follow before the next member')
  }
}

/**
 * Sets the `end` of each member, and checks that the members fill the file: no two members overlap, and the
 * space between two of them is at most a header and a data descriptor.
 */
export function inPlace(members: readonly Member[], directory: number): void {
  const inOrder = members.toSorted((one, other) => one.at - other.at)
  let due = 0
  for (const [nth, member] of inOrder.entries()) {
    member.end = inOrder[nth + 1]?.at ?? directory
    const least = member.at + HEADER_BYTES + member.packed
    if (member.at < due || least > member.end) throw new Error('members overlap')
    if ((nth === 0 && member.at > 0) || member.end - least > MOST_AROUND)
      throw new Error('it has unexpected bytes between its members')
    due = member.end
  }
  if (due !== directory) throw new Error('it has unexpected bytes between its members')
}

function fitsList(
  header: ZipFields,
  { extra, member }: { extra: Uint8Array; member: Member },
): boolean {
  const { flags, method, crc, packed, bytes } = member
  const told = [header.long(22), header.long(18)]
  const wide = wideFields(extra, told.filter((one) => one === ELSEWHERE).length)
  const [size, inFile] = told.map((one) => (one === ELSEWHERE ? wide.shift() : one))
  const same = header.long(14) === crc && size === bytes && inFile === packed
  // A program that compresses a stream knows the checksum and sizes only at the end, so they may be 0 here.
  const open = (flags & FOLLOWED) !== 0 && [14, 18, 22].every((field) => header.long(field) === 0)
  return header.short(6) === flags && header.short(8) === method && (same || open)
}

function fitsAfter(after: ZipFields, { crc, packed, bytes }: Member): boolean {
  const { length } = after.bytes
  const begins = length === 16 || length === 24 ? 4 : 0
  const isWide = length - begins === 20
  const sizes = isWide
    ? [after.wide(begins + 4), after.wide(begins + 12)]
    : [after.long(begins + 4), after.long(begins + 8)]
  const marked = begins === 0 || after.long(0) === AFTER
  return marked && after.long(begins) === crc && sizes[0] === packed && sizes[1] === bytes
}

function otherSize(found: string, bytes: number): Error {
  return new Error(`it has ${found} bytes instead of the stated ${bytes}`)
}

const OTHER_HEADER = 'its own header differs from the list of members'
const HEADER = 0x0403_4b50
const HEADER_BYTES = 30
const AFTER = 0x0807_4b50
const FOLLOWED = 8
/** Sizes of a data descriptor: with or without a signature, and with sizes of four or eight bytes. */
const AFTER_BYTES: ReadonlySet<number> = new Set([12, 16, 20, 24])
/** The longest name, extra fields and data descriptor. */
const MOST_AROUND = 2 * 0xffff + 24
const STORED = 0
const DEFLATED = 8
