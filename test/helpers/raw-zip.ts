import { crc32, deflateRawSync } from 'node:zlib'

/** A member of a zip file. Each field in its headers may be set to a wrong value. */
export interface RawMember {
  name: string
  content: string | Uint8Array
  packed?: boolean
  /** Values for its own header and for the central directory, in place of the right ones. */
  own?: Partial<RawFields>
  listed?: Partial<RawFields>
  /** Bytes after the member's data. */
  after?: Uint8Array
}

export interface RawFields {
  name: string | Uint8Array
  flags: number
  method: number
  crc: number
  packed: number
  bytes: number
  extra: Uint8Array
  /** Only in the central directory. */
  at: number
  rights: number
  comment: string
}

/** The parts of a zip file, which a test can combine. */
export interface RawZip {
  members: Buffer[]
  list: Buffer[]
}

/** Returns members that start at an offset, and their central directory. */
export function rawZip(members: readonly RawMember[], from = 0): RawZip {
  const zip: RawZip = { members: [], list: [] }
  let at = from
  for (const member of members) {
    const bytes = Buffer.from(member.content as string)
    const stored = member.packed === true ? deflateRawSync(bytes) : bytes
    const fields: RawFields = {
      name: member.name,
      flags: 0,
      method: member.packed === true ? 8 : 0,
      crc: crc32(bytes),
      packed: stored.length,
      bytes: bytes.length,
      extra: Buffer.alloc(0),
      at,
      rights: 0o100600,
      comment: '',
    }
    const whole = Buffer.concat([
      ownHeader({ ...fields, ...member.own }),
      stored,
      member.after ?? Buffer.alloc(0),
    ])
    zip.members.push(whole)
    zip.list.push(listed({ ...fields, ...member.listed }))
    at += whole.length
  }
  return zip
}

/** Joins the parts, and adds the end record. */
export function wholeZip({ members, list }: RawZip): Buffer {
  const from = lengthOf(members)
  return Buffer.concat([
    ...members,
    ...list,
    endOf({ count: list.length, bytes: lengthOf(list), from }),
  ])
}

/** The end of central directory record. */
export function endOf(
  { count, bytes, from }: { count: number; bytes: number; from: number },
  comment = '',
): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(bytes, 12)
  end.writeUInt32LE(from, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([end, Buffer.from(comment, 'latin1')])
}

/** The zip64 end of central directory record and its locator. */
export function wideEndOf(
  { count, bytes, from }: { count: number; bytes: number; from: number },
  { at, more = 0 }: { at: number; more?: number },
): Buffer {
  const end = Buffer.alloc(56 + more)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeBigUInt64LE(BigInt(44 + more), 4)
  end.writeUInt16LE(45, 12)
  end.writeUInt16LE(45, 14)
  end.writeBigUInt64LE(BigInt(count), 24)
  end.writeBigUInt64LE(BigInt(count), 32)
  end.writeBigUInt64LE(BigInt(bytes), 40)
  end.writeBigUInt64LE(BigInt(from), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(at), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([end, locator])
}

export function extraOf(kind: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(kind, 0)
  head.writeUInt16LE(content.length, 2)
  return Buffer.concat([head, content])
}

/** The data descriptor after a member that was compressed as a stream. */
export function afterOf({
  crc,
  packed,
  bytes,
}: Pick<RawFields, 'crc' | 'packed' | 'bytes'>): Buffer {
  const after = Buffer.alloc(16)
  for (const [nth, value] of [0x08074b50, crc, packed, bytes].entries())
    after.writeUInt32LE(value, 4 * nth)
  return after
}

/** A size in a zip64 extra field. */
export function wideExtra(size: number): Buffer {
  const wide = Buffer.alloc(8)
  wide.writeBigUInt64LE(BigInt(size))
  return extraOf(1, wide)
}

/** Info-ZIP's extra field with a Unicode name: a version, the CRC of the plain name, the name. */
export function otherName(): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(1, 0)
  head.writeUInt32LE(crc32('audit.xlsx'), 1)
  return extraOf(0x7075, Buffer.concat([head, Buffer.from('evil.html')]))
}

export function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}

/**
 * Returns a zip file with all members and the central directory twice. A reader that uses the directory's
 * offset finds the first members; one that counts back from the end finds the second.
 */
export function withTwoLists(zip: Buffer): Buffer {
  const end = zip.subarray(-22)
  const [bytes, from] = [end.readUInt32LE(12), end.readUInt32LE(16)]
  const members = zip.subarray(0, from)
  const list = zip.subarray(from, from + bytes)
  const second = Buffer.from(list)
  for (let at = 0; at < second.length; ) {
    second.writeUInt32LE(second.readUInt32LE(at + 42) + from - bytes, at + 42)
    at += 46 + [28, 30, 32].reduce((sum, field) => sum + second.readUInt16LE(at + field), 0)
  }
  const moved = Buffer.from(end)
  moved.writeUInt32LE(2 * from, 16)
  return Buffer.concat([members, members, list, second, moved])
}

function ownHeader({ name, flags, method, crc, packed, bytes, extra }: RawFields): Buffer {
  const named = Buffer.from(name as string)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(method, 8)
  header.writeUInt32LE(crc, 14)
  header.writeUInt32LE(packed, 18)
  header.writeUInt32LE(bytes, 22)
  header.writeUInt16LE(named.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, named, extra])
}

function listed(fields: RawFields): Buffer {
  const { name, flags, method, crc, packed, bytes, extra, at, rights, comment } = fields
  const named = Buffer.from(name as string)
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE((3 << 8) | 63, 4)
  entry.writeUInt16LE(20, 6)
  entry.writeUInt16LE(flags, 8)
  entry.writeUInt16LE(method, 10)
  entry.writeUInt32LE(crc, 16)
  entry.writeUInt32LE(packed, 20)
  entry.writeUInt32LE(bytes, 24)
  entry.writeUInt16LE(named.length, 28)
  entry.writeUInt16LE(extra.length, 30)
  entry.writeUInt16LE(comment.length, 32)
  entry.writeUInt32LE((rights << 16) >>> 0, 38)
  entry.writeUInt32LE(at, 42)
  return Buffer.concat([entry, named, extra, Buffer.from(comment)])
}
