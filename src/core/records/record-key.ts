import { type RowContext, type Stream, valueOf } from '../define/stream.ts'
import { rawNumber } from '../values/lossless-json.ts'
import { UNREADABLE } from '../values/plain-values.ts'
import { type WireRecord } from '../values/wire-record.ts'
import { hashOf } from './record-hash.ts'
import { inNeutralWords } from './translate.ts'

/**
 * The key of a record in the order of `stream.key`, or the reason why it has none. Keys are never merged by
 * cleaning: what Postgres refuses is spelled as an escape, and so is the backslash that begins one, so that
 * two keys stay two. `wireKey` gives the service's own spelling back.
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
    // A child's first part is its parent's key as it is stored: spelling it again would make it another.
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

/** Joins key parts; never inside one, since `keyPart` escapes control characters. */
export const KEY_SEPARATOR = '\u001f'

/** A part of a key as it is stored; undefined for what can be none. */
export function keyPart(value: unknown): string | undefined {
  if (typeof value === 'string') return escapeUnstorable(value)
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  const digits = rawNumber(value)
  return digits !== undefined && /^-?\d+$/.test(digits) ? digits : undefined
}

/** A stored key part as the service spells it: what requests must carry. */
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

const MAX_KEY_CHARS = 512
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const UNSTORABLE = /[\u0000\u001f\\]/
