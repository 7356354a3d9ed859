import { createHash } from 'node:crypto'
import { skipString } from '../../core/values/json.ts'
import { isDigest, sha256Hex } from './digest.ts'

export const ENTRY_KINDS = ['file', 'record', 'removal', 'erasure', 'statement'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** One entry of an account's manifest. Its hash is the SHA-256 of its line. */
export interface Entry {
  /**
   * 2 where the line tells neither the subject, only a commitment to it (`nameOfSubject`), nor the exact size
   * of a file or record (`paddedSize`): nothing of it says then what an erasure took. 1 for what is about
   * ledgers (`isOfLedgers`).
   */
  v: 1 | 2
  account: string
  /** From 1, without a gap. */
  seq: number
  /** An instant in UTC. */
  at: string
  kind: EntryKind
  /** What the entry is about, each part percent-encoded: `whiteboard_activities/<session>/<activity>`. */
  subject: string
  /** Bytes of the content, padded in version 2. Of an erasure what it took, of a statement how many rows. */
  size: number
  commitment: string
  /** The hash of the entry before. */
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

/** Reads a line's entry; undefined unless the line is exactly what `entryLine` makes of an entry. */
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

/** The size that an entry's line tells of a content of so many bytes. */
export function sizeInLine(
  { v, kind }: { v: number; kind: string | undefined },
  bytes: number,
): number {
  return v === 1 || kind === 'erasure' ? bytes : paddedSize(bytes)
}

/**
 * What the line of an entry says of its subject: the stream, and a commitment to all of it, which without
 * the salt tells nothing. E.g. `whiteboard_activities/` and 64 hexadecimal digits.
 */
export function nameOfSubject(subject: string, salt: Uint8Array): string {
  const digest = createHash('sha256').update(salt).update(subject, 'utf8').digest('hex')
  return `${subject.split('/', 1)[0]}/${digest}`
}

/** A part of a subject: all but the unreserved characters of RFC 3986 percent-encoded. */
export function subjectPart(text: string): string {
  const escaped = (letter: string): string => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, escaped)
}

/** What a part of a subject stands for; undefined where it is none of ours. */
export function readSubjectPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/** Whether the subject is a row of a ledger: it is no one's, and its line tells it. */
export function isOfLedgers(subject: string): boolean {
  return subject.startsWith('ledger/')
}

/** Whether a line may say this of a subject that it does not tell. */
function isSubjectName(text: string): boolean {
  return /^[a-z_]{1,60}\/[0-9a-f]{64}$/.test(text)
}

/** Bytes as a line tells them: the next power of two, and never less than 1,024. */
function paddedSize(bytes: number): number {
  let size = SMALLEST
  while (size < bytes) size *= 2
  return size
}

/** Parses a text of others, which need not be JSON. */
export function parsed(text: string): unknown {
  try {
    // A million brackets cost a hundred times what a text of the same length does.
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

/** Of padded sizes, in bytes. */
const SMALLEST = 1_024
const SHORT = 4_096
const MOST_DEPTH = 64
const MOST_OPENED = 10_000

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
