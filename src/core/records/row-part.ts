import { type Stream, valueOf } from '../define/stream.ts'
import { isRecord, rawNumber, type WireRecord } from '../values/json.ts'

/** A value of a field; null stands for an absent, null or empty value. */
export type PartValue = string | number | boolean | null
/** Maps fields to their allowed values; each must have one. `a.b` is the field `b` of the object `a`. */
export type PartFields = Readonly<Record<string, readonly PartValue[]>>
/** Maps streams to the records that an account keeps. Others follow a parent or are kept whole. */
export type RowSettings = Readonly<Record<string, PartFields>>

/** Whether a record belongs to a part; `unreadable` names the field whose value cannot be compared. */
export type PartVerdict = 'kept' | 'outside' | { unreadable: string }

/**
 * Decides whether a record belongs to a part: the value of each of its fields, or one item if the value is a
 * list, must be among the field's values. Absent, null and empty values are equal. Compares exact texts.
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

/**
 * Returns the field's values as text; null stands for an absent or empty value. Undefined if a value is not a
 * scalar, or the path leads through something that is not an object.
 */
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

/** Describes a part in words, such as `users where dept is Sales or empty`. */
export function partText(stream: string, fields: PartFields): string {
  const terms = Object.entries(fields).map(([field, values]) => {
    const words = values.map((value) => (value === null ? 'empty' : String(value)))
    const shown = words.slice(0, MOST_VALUES).join(' or ')
    const more = words.length - MOST_VALUES
    return `${field} is ${shown}${more > 0 ? ` or one of ${more} more values` : ''}`
  })
  return `${stream} where ${terms.join(' and ')}`
}

/** Returns the stream whose part decides about a stream's rows: its topmost parent, or the stream itself. */
export function decidingStream(stream: Stream): Stream {
  const { sync } = stream
  return sync.kind === 'nested' || sync.kind === 'fan-out' ? decidingStream(sync.parent) : stream
}

const MOST_VALUES = 10
