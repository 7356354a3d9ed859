import type { CallArguments, Operation } from '../define/operation.ts'
import type { Words } from '../define/own-words.ts'
import { WORD_FIELDS, WORD_HEADERS } from '../define/word-fields.ts'
import { isRecord, rawNumber, type WireRecord } from '../values/json.ts'
import { hashOf } from './record-hash.ts'

type Translate = (word: string) => string

/** Whether fields need translation: the API documents use neutral words only in number management. */
export function speaksWords({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/number_management/')
}

/** Translates the words of a query, a body or an answer, in the fields that contain them, at any depth. */
export function translated<T>(operation: Operation, translate: Translate, value: T): T {
  // The type stays the same: only texts are replaced, by texts.
  return speaksWords(operation) ? (within(value, translate, undefined) as T) : value
}

export function inOwnWords(
  words: Words | undefined,
  operation: Operation,
  args: CallArguments,
): CallArguments {
  if (words === undefined || args.query === undefined) return args
  return { ...args, query: translated(operation, words.own, args.query) }
}

/** A record in the documents' words, which columns store. */
export function inNeutralWords(
  words: Words | undefined,
  operation: Operation,
  record: WireRecord,
): WireRecord {
  if (words === undefined || !speaksWords(operation)) return record
  const changed = Object.entries(WORD_FIELDS).flatMap(([field, values]) => {
    const word = record[field]
    const neutral = typeof word === 'string' ? wordIn(values, words.neutral, word) : word
    return neutral === word ? [] : [[field, neutral]]
  })
  return changed.length === 0 ? record : { ...record, ...Object.fromEntries(changed) }
}

/** Adds the documented names of headers that arrived under the service's own names. */
export function neutralHeaders<T>(
  words: Words | undefined,
  headers: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  if (words === undefined) return headers
  const named = WORD_HEADERS.flatMap((name): [string, T][] => {
    const value = headers[words.own(name)]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...headers, ...Object.fromEntries(named) }
}

/** Translates the name of an event as a whole or, if the whole is not a known word, only its first part. */
export function neutralEvent(words: Words | undefined, name: string): string {
  if (words === undefined) return name
  const whole = words.neutral(name)
  if (whole !== name) return whole
  const [first = '', ...rest] = name.split('.')
  return [words.neutral(first), ...rest].join('.')
}

/**
 * Adds the service's own words in a record to its salt, so that the record is processed again if their
 * translation changes. Configured words that a record does not contain do not change its salt.
 */
export function saltWithWords(
  salt: Uint8Array | undefined,
  words: Words | undefined,
  source: Uint8Array | string,
): Uint8Array | undefined {
  if (words === undefined) return salt
  const text =
    typeof source === 'string'
      ? source
      : Buffer.from(source.buffer, source.byteOffset, source.length)
  const there = words.inFields.filter(([, own]) => text.includes(`"${own}"`))
  if (there.length === 0) return salt
  return hashOf(JSON.stringify(there)).map((byte, at) => byte ^ (salt?.[at] ?? 0))
}

function within(value: unknown, translate: Translate, field: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => within(one, translate, field))
  if (typeof value === 'string') {
    const values = WORD_FIELDS[field ?? '']
    return values === undefined ? value : wordIn(values, translate, value)
  }
  if (!isRecord(value) || rawNumber(value) !== undefined) return value
  const entries = Object.entries(value).map(([name, one]) => [name, within(one, translate, name)])
  return Object.fromEntries(entries) as unknown
}

/** A word that does not belong to this field stays unchanged. */
function wordIn(values: readonly string[], translate: Translate, word: string): string {
  const other = translate(word)
  return values.includes(other) || values.includes(word) ? other : word
}
