import { UNREADABLE } from '../define/column.ts'
import { type RowContext, type Stream, valueOf } from '../define/stream.ts'
import { rawNumber, type WireRecord } from '../values/json.ts'
import { hashOf } from './record-hash.ts'
import { inNeutralWords } from './translate.ts'

/**
 * The key of a record in the order of `stream.key`, or the reason why it has none. Characters that Postgres
 * refuses, the separator of key parts and the backslash are escaped, so that two keys never become equal.
 * `wireKey` restores the service's own spelling.
 */
export function keyOf(
  stream: Stream,
  received: WireRecord,
  context: RowContext,
): { key: string[] } | { refused: string } {
  const record = inNeutralWords(context.words, stream.operation, received)
  const derived = stream.derive?.(record, context)
  const key: string[] = []
  for (const column of stream.key) {
    const value =
      derived !== undefined && column in derived ? derived[column] : valueOf(stream, record, column)
    // The first part of a nested key is the parent's stored key: escaping it again would change it.
    const inherited = context.parent !== undefined && column === stream.key[0]
    const part = inherited ? context.parent?.key[0] : keyPart(value)
    if (part === undefined) return { refused: `key field ${column} is ${describe(value)}` }
    if (part === '' && stream.sync.kind !== 'nested')
      return { refused: `key field ${column} is empty` }
    if (part.length > MAX_KEY_CHARS)
      return { refused: `key field ${column} is longer than ${MAX_KEY_CHARS}` }
    key.push(part)
  }
  return { key }
}

/** 128 bits of SHA-256 over the key's parts. `warehouse/load/fingerprints.ts` computes the same in SQL. */
export function keyHash(key: readonly string[]): Buffer {
  return hashOf(joinKey(key))
}

/** A key as one text, by which keys can be compared and looked up. */
export function joinKey(key: readonly string[]): string {
  return key.length === 1 ? (key[0] as string) : key.join(KEY_SEPARATOR)
}

/** Joins key parts. No part contains it, since `keyPart` escapes it. */
export const KEY_SEPARATOR = '\u001f'

/** A part of a key as stored; undefined for a value that no key can contain. */
export function keyPart(value: unknown): string | undefined {
  if (typeof value === 'string') return escapeUnstorable(value)
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  const digits = rawNumber(value)
  return digits !== undefined && /^-?\d+$/.test(digits) ? digits : undefined
}

/** A stored key part in the service's spelling, for requests. */
export function wireKey(part: string): string {
  return part.replace(/\\u([0-9a-f]{4})/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  )
}

function escapeUnstorable(value: string): string {
  if (!UNSTORABLE.test(value) && value.isWellFormed()) return value
  return Array.from(value, (char) =>
    UNSTORABLE.test(char) || !char.isWellFormed() ? escapeOf(char) : char,
  ).join('')
}

function escapeOf(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function describe(value: unknown): string {
  if (value === UNREADABLE) return UNREADABLE.description ?? ''
  return value === undefined || value === null ? 'missing' : `of type ${typeof value}`
}

/**
 * Why a record with a key must not become a row: it is far larger than any legitimate one, and processing it
 * would starve other work. Undefined if it may.
 */
export function unfitness(
  record: WireRecord,
  { source, nestedStreams }: { source: string; nestedStreams: readonly Stream[] },
): string | undefined {
  if (isTooDeep(record, source)) return TOO_DEEP
  let fields = 0
  for (const name in record)
    if (Object.hasOwn(record, name) && ++fields > MAX_FIELDS)
      return `more than ${MAX_FIELDS} fields`
  for (const { name, sync } of nestedStreams) {
    const parts: unknown = sync.kind === 'nested' ? sync.items(record) : undefined
    if (Array.isArray(parts) && parts.length > MAX_PARTS)
      return `more than ${MAX_PARTS} records of ${name} in it`
  }
  return undefined
}

/** Postgres refuses JSON nested deeper than its stack permits; no legitimate record exceeds `MAX_DEPTH`. */
function isTooDeep(record: WireRecord, source: string): boolean {
  // Few records have this many brackets, and counting them is faster than walking the record.
  let brackets = 0
  for (const bracket of ['{', '['])
    for (let at = source.indexOf(bracket); at >= 0; at = source.indexOf(bracket, at + 1))
      if (++brackets > MAX_DEPTH) return deeperThan(record, MAX_DEPTH)
  return false
}

function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const fields = value as Record<string, unknown>
  for (const name in fields) if (deeperThan(fields[name], levels - 1)) return true
  return false
}

const MAX_KEY_CHARS = 512
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const UNSTORABLE = /[\u0000\u001f\\]/

const MAX_DEPTH = 64
export const TOO_DEEP = `nested deeper than ${MAX_DEPTH}`
const MAX_FIELDS = 2_000
const MAX_PARTS = 10_000
