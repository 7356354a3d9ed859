import { crc32, deflateRawSync } from 'node:zlib'
import {
  afterOf,
  endOf,
  extraOf,
  lengthOf,
  otherName,
  type RawFields,
  type RawMember,
  rawZip,
  wholeZip,
  wideEndOf,
  wideExtra,
} from '../helpers/raw-zip.ts'

/** A signed workbook, and a forged one that some programs unpack in its place. */
const TRUE: RawMember = { name: 'audit.xlsx', content: 'the true workbook' }
const FORGED: RawMember = { name: 'audit.xlsx', content: 'a forged workbook' }
const README: RawMember = { name: 'README.txt', content: 'What it is. '.repeat(40), packed: true }
const FIRST = rawZip([TRUE]).members[0]?.length ?? 0

const BOMB: RawMember = { name: 'audit.xlsx', content: Buffer.alloc(2 ** 25), packed: true }
const LIST = /list of members does not match the end/
const OWN = /its own header differs/
const FIELDS = /fields that no bundle uses/
const TWO = /sizes in two different ways/
const AS_NONE = /attributes that no bundle uses/
const NO_FOLDER = /cannot be unpacked safely/
/** The values of fields whose numbers are in the ZIP64 record. */
const SATURATED = { count: 0xffff, bytes: 0xffffffff, from: 0xffffffff }

const one = (own: Partial<RawFields>, listed: Partial<RawFields> = {}): Buffer =>
  wholeZip(rawZip([{ ...TRUE, own, listed }, README]))

/** Zip files that two programs may read differently. Exactly one rule refuses each of them. */
export const FORGED_ZIPS: readonly (readonly [string, () => Buffer, RegExp])[] = [
  ['two lists of members, the forged one just before the end', () => twoLists(), LIST],
  ['bytes before its members', () => Buffer.concat([Buffer.from('#!/bin/sh\n'), whole()]), LIST],
  [
    'bytes before its members that its list knows of',
    () => wholeOf([Buffer.from('hidden'), ...rawZip([TRUE], 6).members], rawZip([TRUE], 6).list),
    /bytes between/,
  ],
  ['bytes behind its end', () => Buffer.concat([whole(), Buffer.from('more')]), /not a ZIP file/],
  ['a comment at its end', () => withEnd({}, 'a comment'), /not a ZIP file/],
  [
    'a second end in the comment of the first',
    () => {
      const { members, list } = rawZip([TRUE])
      const end = endOf({ count: 1, bytes: lengthOf(list), from: lengthOf(members) })
      return withEnd({}, end.toString('latin1'))
    },
    LIST,
  ],
  ['an end that counts fewer members', () => withEnd({ count: 1 }), LIST],
  ['an end that counts more members', () => withEnd({ count: 3 }), LIST],
  [
    'a forged member between two',
    () => {
      const [hidden = Buffer.alloc(0)] = rawZip([FORGED]).members
      return wholeOf(
        [...rawZip([TRUE]).members, hidden, ...rawZip([README]).members],
        [...rawZip([TRUE]).list, ...rawZip([README], FIRST + hidden.length).list],
      )
    },
    /unexpected bytes follow before the next member/,
  ],
  [
    'a forged member before the list',
    () => wholeOf([...rawZip([TRUE]).members, ...rawZip([FORGED]).members], rawZip([TRUE]).list),
    /unexpected bytes follow before the next member/,
  ],
  [
    'very many bytes between two members',
    () =>
      wholeOf(
        [...rawZip([TRUE]).members, Buffer.alloc(2 ** 18), ...rawZip([README]).members],
        [...rawZip([TRUE]).list, ...rawZip([README], FIRST + 2 ** 18).list],
      ),
    /unexpected bytes between its members/,
  ],
  [
    'members that lie over one another',
    () => wholeZip(rawZip([TRUE, { ...README, listed: { at: FIRST - 10 } }])),
    /members overlap/,
  ],
  [
    'two members of the same bytes',
    () => wholeZip(rawZip([TRUE, { ...TRUE, name: 'audit2.xlsx', listed: { at: 0 } }])),
    /members overlap/,
  ],
  [
    'a member that begins behind the list',
    () => wholeZip(rawZip([TRUE, { ...README, listed: { at: 2 ** 20 } }])),
    /members overlap|bytes between/,
  ],
  ['another name in a member’s own header', () => one({ name: 'audit.html' }), OWN],
  ['another size in a member’s own header', () => one({ bytes: 5 }), OWN],
  ['another packed size in a member’s own header', () => one({ packed: 5 }), OWN],
  ['another sum in a member’s own header', () => one({ crc: 5 }), OWN],
  ['another method in a member’s own header', () => one({ method: 8 }), OWN],
  ['other flags in a member’s own header', () => one({ flags: 8 }), OWN],
  [
    'other sizes behind a member',
    () => wholeZip(rawZip([{ ...streamed(), after: behind({ bytes: 5 }) }])),
    /unexpected bytes follow before the next member/,
  ],
  [
    'another sum behind a member',
    () => wholeZip(rawZip([{ ...streamed(), after: behind({ crc: 5 }) }])),
    /unexpected bytes follow before the next member/,
  ],
  [
    'bytes behind the end of what was packed',
    () => {
      const packed = deflateRawSync('the true workbook')
      const content = Buffer.concat([packed, Buffer.from('hidden')])
      const fields = { method: 8, bytes: 17, crc: crc32('the true workbook') }
      return wholeZip(rawZip([{ name: 'audit.xlsx', content, own: fields, listed: fields }]))
    },
    /unexpected bytes follow its end/,
  ],
  [
    'the same behind the end of much that was packed',
    () => {
      const text = Array.from({ length: 40_000 }, (_none, nth) => `line ${nth}`).join('\n')
      const content = Buffer.concat([deflateRawSync(text), Buffer.alloc(200_000, 'hidden')])
      const fields = { method: 8, bytes: text.length, crc: crc32(text) }
      return wholeZip(rawZip([{ name: 'audit.xlsx', content, own: fields, listed: fields }]))
    },
    /unexpected bytes follow its end/,
  ],
  ['a bomb of 1 to 1000', () => wholeZip(rawZip([BOMB])), /more than 100 times its size/],
  ['a name with another one for some programs', () => both({ extra: otherName() }), FIELDS],
  [
    'fields of a kind that nobody knows',
    () => both({ extra: extraOf(0x1234, Buffer.alloc(0)) }),
    FIELDS,
  ],
  ['fields that end in the middle', () => both({ extra: Buffer.from([0x55, 0x54, 9]) }), TWO],
  ['a size told again in wide fields', () => both({ extra: wideExtra(5) }), TWO],
  [
    'a wide size that comes twice',
    () => {
      const extra = Buffer.concat([wideExtra(17), wideExtra(5)])
      return one({}, { bytes: 0xffffffff, extra })
    },
    TWO,
  ],
  ['a wide size that is not there', () => one({}, { bytes: 0xffffffff }), TWO],
  ['a member with a comment', () => one({}, { comment: 'PK' }), AS_NONE],
  ['a member that is a link', () => one({}, { rights: 0o120777 }), AS_NONE],
  ['an encrypted member', () => both({ flags: 1 }), /encrypted/],
  ['a member whose header is masked', () => both({ flags: 0x2000 }), AS_NONE],
  ['a name that ends early for some programs', () => both({ name: 'audit.xlsx\0.txt' }), NO_FOLDER],
  ['a name with a backslash', () => both({ name: 'files\\audit' }), NO_FOLDER],
  ['a name from the root', () => both({ name: '/etc/passwd' }), NO_FOLDER],
  ['a name that is no text', () => both({ name: Buffer.from([0xff, 0xfe]) }), /not valid/],
  ['the same name twice', () => wholeZip(rawZip([TRUE, FORGED])), /two members of the same name/],
  ['a wide end that says other than the plain one', () => wide({ plain: { count: 1 } }), LIST],
  ['a wide end of another list', () => wide({ end: { count: 1 } }), LIST],
  ['a wide end with more in it than is known', () => wide({ more: 8 }), LIST],
  ['a wide end that is elsewhere than it is said to be', () => wide({ at: 5 }), LIST],
  ['a plain end that says that there is a wide one', () => withEnd({ count: 0xffff }), LIST],
  [
    'a list that ends like what points to a wide end',
    () => {
      const pointer = wideEndOf({ count: 1, bytes: 0, from: 0 }, { at: 0 }).subarray(-20)
      return wholeZip(rawZip([{ ...TRUE, listed: { extra: extraOf(0x5455, pointer) } }]))
    },
    LIST,
  ],
]

/** Valid zip files, packed in different ways. */
export const WHOLE_ZIPS: readonly (readonly [string, () => Buffer])[] = [
  ['plain', whole],
  ['with a wide end', () => wide({})],
  ['with a wide end that the plain one points to', () => wide({ plain: SATURATED })],
  ['streamed', () => wholeZip(rawZip([{ ...streamed(), after: behind({}) }, README]))],
  [
    'streamed without a mark',
    () => wholeZip(rawZip([{ ...streamed(), after: behind({}).subarray(4) }, README])),
  ],
  ['with times', () => both({ extra: extraOf(0x5455, Buffer.alloc(5)) })],
  ['with wide sizes', () => one({}, { bytes: 0xffffffff, extra: wideExtra(17) })],
  ['with a folder', () => wholeZip(rawZip([{ name: 'files/', content: '' }, TRUE, README]))],
]

function whole(): Buffer {
  return wholeZip(rawZip([TRUE, README]))
}

function parts() {
  const { members, list } = rawZip([TRUE, README])
  return { members, list, told: { count: 2, bytes: lengthOf(list), from: lengthOf(members) } }
}

/** Sets fields in both the member's own header and the list. */
function both(fields: Partial<RawFields>): Buffer {
  return one(fields, fields)
}

/**
 * The end record points to the true list. A program that counts back from the end record finds the forged
 * list, and takes the difference for bytes before the first member.
 */
function twoLists(): Buffer {
  const truly = rawZip([TRUE, README])
  const from = lengthOf(truly.members)
  const bytes = lengthOf(truly.list)
  const second = rawZip([FORGED, README], from - bytes)
  const end = endOf({ count: 2, bytes, from: from + lengthOf(second.members) })
  return Buffer.concat([...truly.members, ...second.members, ...truly.list, ...second.list, end])
}

function wholeOf(members: readonly Buffer[], list: readonly Buffer[]): Buffer {
  return wholeZip({ members: [...members], list: [...list] })
}

function withEnd(says: Partial<typeof SATURATED>, comment = ''): Buffer {
  const { members, list, told } = parts()
  return Buffer.concat([...members, ...list, endOf({ ...told, ...says }, comment)])
}

function wide(says: {
  end?: Partial<typeof SATURATED>
  plain?: Partial<typeof SATURATED>
  at?: number
  more?: number
}): Buffer {
  const { members, list, told } = parts()
  const { at = told.from + told.bytes, more = 0 } = says
  return Buffer.concat([
    ...members,
    ...list,
    wideEndOf({ ...told, ...says.end }, { at, more }),
    endOf({ ...told, ...says.plain }),
  ])
}

/** A member whose checksum and sizes follow its content. */
function streamed(): RawMember {
  return { ...TRUE, own: { flags: 8, crc: 0, packed: 0, bytes: 0 }, listed: { flags: 8 } }
}

const behind = (says: Partial<RawFields>): Buffer =>
  afterOf({ crc: crc32('the true workbook'), packed: 17, bytes: 17, ...says })
