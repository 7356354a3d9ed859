import { skipString } from '../core/values/json-scan.ts'
import { isDigest, sha256Hex } from './digest.ts'

export const ENTRY_KINDS = ['file', 'record', 'removal', 'erasure', 'statement'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** One entry of an account's manifest. Its hash is the SHA-256 of its line. */
export interface Entry {
  v: 1
  account: string
  /** From 1, without a gap. */
  seq: number
  /** An instant in UTC. */
  at: string
  kind: EntryKind
  /** What the entry is about, each part percent-encoded: `whiteboard_activities/<session>/<activity>`. */
  subject: string
  /** Bytes of the content. */
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
    v === 1 &&
    typeof account === 'string' &&
    isCount(seq) &&
    seq > 0 &&
    typeof at === 'string' &&
    ENTRY_KINDS.some((one) => one === kind) &&
    typeof subject === 'string' &&
    isCount(size) &&
    isDigest(commitment) &&
    isDigest(prev)
  )
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

const SHORT = 4_096
const MOST_DEPTH = 64
const MOST_OPENED = 10_000

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
