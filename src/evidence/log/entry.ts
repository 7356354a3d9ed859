import { createHash } from 'node:crypto'
import { skipString } from '../../core/values/json.ts'
import { isDigest, sha256Hex } from './digest.ts'

export const ENTRY_KINDS = ['file', 'record', 'removal', 'erasure', 'statement'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** One entry of an account's manifest. Its hash is the SHA-256 of its line. */
export interface Entry {
  /**
   * In version 2 the line contains only a commitment to the subject (`nameOfSubject`) and, except in
   * erasures, a padded size (`paddedSize`), so it reveals little about erased content. Entries about ledgers
   * (`isOfLedgers`) use version 1.
   */
  v: 1 | 2
  account: string
  /** Starts at 1, without gaps. */
  seq: number
  /** An instant in UTC. */
  at: string
  kind: EntryKind
  /** In version 2 the commitment (`nameOfSubject`); in version 1 in clear, e.g. `ledger/holds/3`. */
  subject: string
  /**
   * The number of bytes of the content, padded in version 2. In an erasure, a number that identifies the
   * removed kinds; in a statement, the number of rows.
   */
  size: number
  commitment: string
  /** The hash of the previous entry. */
  prev: string
}

/** The entry as it is stored, signed and exported: one line with its fields in a fixed order. */
export function entryLine(entry: Entry): string {
  const { v, account, seq, at, kind, subject, size, commitment, prev } = entry
  return JSON.stringify({ v, account, seq, at, kind, subject, size, commitment, prev })
}

export function entryHash(line: string): string {
  return sha256Hex(line)
}

/** Parses a line; undefined unless `entryLine` would produce exactly this line. */
export function readEntry(line: string): Entry | undefined {
  const value = parsed(line)
  if (!isEntry(value)) return undefined
  return entryLine(value) === line ? value : undefined
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false
  const { v, account, seq, at, kind, subject, size, commitment, prev } = value as Partial<Entry>
  return (
    typeof account === 'string' &&
    isCount(seq) &&
    seq > 0 &&
    typeof at === 'string' &&
    ENTRY_KINDS.some((one) => one === kind) &&
    typeof subject === 'string' &&
    isCount(size) &&
    isDigest(commitment) &&
    isDigest(prev) &&
    (v === 1
      ? isOfLedgers(subject)
      : v === 2 && isSubjectName(subject) && size === sizeInLine({ v, kind }, size))
  )
}

/** The size that an entry's line contains for content of this many bytes. */
export function sizeInLine(
  { v, kind }: { v: number; kind: string | undefined },
  bytes: number,
): number {
  return v === 1 || kind === 'erasure' ? bytes : paddedSize(bytes)
}

/**
 * The name of a subject in an entry's line: the stream, and a commitment to the whole subject that reveals
 * nothing without the salt. E.g. `whiteboard_activities/` and 64 hexadecimal digits.
 */
export function nameOfSubject(subject: string, salt: Uint8Array): string {
  const digest = createHash('sha256').update(salt).update(subject, 'utf8').digest('hex')
  return `${subject.split('/', 1)[0]}/${digest}`
}

/** Percent-encodes a part of a subject, except for the unreserved characters of RFC 3986. */
export function subjectPart(text: string): string {
  const escaped = (letter: string): string => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, escaped)
}

/** Decodes a part of a subject; undefined if it is malformed. */
export function readSubjectPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/** Returns true for a subject of ledgers. It is not personal, so the entry's line contains it in clear. */
export function isOfLedgers(subject: string): boolean {
  return subject.startsWith('ledger/')
}

/** Returns whether the text has the form of a commitment to a subject. */
function isSubjectName(text: string): boolean {
  return /^[a-z_]{1,60}\/[0-9a-f]{64}$/.test(text)
}

/** The smallest power of two that is at least `bytes` and at least 1,024. */
function paddedSize(bytes: number): number {
  let size = SMALLEST
  while (size < bytes) size *= 2
  return size
}

/** Parses untrusted JSON; undefined if it is malformed, or long with too many or too deep brackets. */
export function parsed(text: string): unknown {
  try {
    // Long text with many brackets can take a hundred times as long to parse as other text.
    return text.length < SHORT || isSimple(text) ? (JSON.parse(text) as unknown) : undefined
  } catch {
    return undefined
  }
}

function isSimple(text: string): boolean {
  let [depth, opened] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === '"') at = skipString(text, at) - 1
    else if (letter === ']' || letter === '}') depth--
    else if (letter === '[' || letter === '{') {
      if (++depth > MOST_DEPTH || ++opened > MOST_OPENED) return false
    }
  }
  return true
}

/** The smallest padded size, in bytes. */
const SMALLEST = 1_024
const SHORT = 4_096
const MOST_DEPTH = 64
const MOST_OPENED = 10_000

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
