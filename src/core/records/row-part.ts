import { type Stream, valueOf } from '../define/stream.ts'
import { isRecord, rawNumber, type WireRecord } from '../values/json.ts'

/** A value of a field; null if the field is absent, null or empty. */
export type PartValue = string | number | boolean | null
/** By field of a stream's records, the values of the records to keep. A dot leads into an object. */
export type PartFields = Readonly<Record<string, readonly PartValue[]>>
/** By stream, the part of its records that an account keeps; other streams are kept whole. */
export type RowSettings = Readonly<Record<string, PartFields>>

/** Where a record belongs; `unreadable` names the field whose value cannot be compared. */
export type PartVerdict = 'kept' | 'outside' | { unreadable: string }

/**
 * Whether a record belongs to a part: each field must have one of its values; a field with a list of values,
 * at least one. An absent, null or empty value equals null. Values are compared as text, letter by letter.
 */
export function verdictOn(stream: Stream, fields: PartFields, record: WireRecord): PartVerdict {
  let isKept = true
  for (const [field, values] of Object.entries(fields)) {
    const found = scalarsAt(stream, record, field)
    if (found === undefined) return { unreadable: field }
    const kept = new Set(values.map(textOf))
    isKept &&= found.some((value) => kept.has(value))
  }
  return isKept ? 'kept' : 'outside'
}

/** The texts of the field's value, or null; undefined if it has an object or a nested list. */
function scalarsAt(
  stream: Stream,
  record: WireRecord,
  field: string,
): (string | null)[] | undefined {
  const [first = '', ...rest] = field.split('.')
  let value = valueOf(stream, record, first)
  for (const name of rest) {
    if (value === undefined || value === null || value === '') return [null]
    if (!isRecord(value) || rawNumber(value) !== undefined) return undefined
    value = value[name]
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = values.map(scalar)
  if (texts.includes(undefined)) return undefined
  return texts.length === 0 ? [null] : (texts as (string | null)[])
}

function scalar(value: unknown): string | null | undefined {
  if (value === undefined || value === null || value === '') return null
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value)
  return isPlain ? textOf(value as PartValue) : rawNumber(value)
}

function textOf(value: PartValue): string | null {
  return value === null ? null : String(value)
}

/** The part in words, such as `users where dept is Sales or empty`. */
export function partText(stream: string, fields: PartFields): string {
  const terms = Object.entries(fields).map(([field, values]) => {
    const words = values.map((value) => (value === null ? 'empty' : String(value)))
    const shown = words.slice(0, MOST_VALUES).join(' or ')
    const more = words.length - MOST_VALUES
    return `${field} is ${shown}${more > 0 ? ` or one of ${more} more values` : ''}`
  })
  return `${stream} where ${terms.join(' and ')}`
}

/**
 * The stream whose part decides about a stream's rows: nested records and lists by parent follow their
 * parent.
 */
export function decidingStream(stream: Stream): Stream {
  const { sync } = stream
  return sync.kind === 'nested' || sync.kind === 'fan-out' ? decidingStream(sync.parent) : stream
}

const MOST_VALUES = 10
