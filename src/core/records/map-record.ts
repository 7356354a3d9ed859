import type { Column } from '../define/column.ts'
import { type RowContext, type Stream, valueOf } from '../define/stream.ts'
import type { WireRecord } from '../values/json.ts'
import { blankTransient } from './record-hash.ts'
import { inNeutralWords } from './translate.ts'

/** A deviation of a record from the documents. */
export interface RecordFinding {
  kind: 'unknown_field' | 'unknown_value' | 'broken_value' | 'missing_value'
  path: string
  /** The unknown value of an enumeration. Other kinds show at most a type: the value may be personal. */
  example: string
}

/** A row in Postgres's text format, in the order of the stream's columns; null is SQL's null. */
export interface CutRow {
  values: (string | null)[]
  findings: RecordFinding[]
  /** The columns that are null because the received value was unreadable. */
  broken: string[]
  /** True if text had to be cleaned, so that the exact source must be stored too. */
  cleaned: boolean
}

/** Turns a record into its row. A value that its column refuses becomes null and a finding; never throws. */
export function cutRow(
  stream: Stream,
  received: WireRecord,
  row: { key: readonly string[]; context: RowContext },
): CutRow {
  const record = inNeutralWords(row.context.words, stream.operation, received)
  const derived = stream.derive?.(record, row.context)
  const cut: CutRow = { values: [], findings: [], broken: [], cleaned: false }
  const { columns, names } = planOf(stream)
  // Allocated at full length: a growing array would be copied several times for each row.
  cut.values = columns.map((column) => {
    const { name, keyIndex } = column
    const value =
      derived && Object.hasOwn(derived, name) ? derived[name] : valueOf(stream, record, name)
    return keyIndex >= 0 ? (row.key[keyIndex] as string) : cutValue(cut, column, value)
  })
  for (const name of stream.expected ?? []) {
    const value = valueOf(stream, record, name)
    if (value === undefined || value === null || value === '')
      cut.findings.push({ kind: 'missing_value', path: name, example: '' })
  }
  let unknown = 0
  for (const name in record) {
    if (names.has(name) || ++unknown > MOST_UNKNOWN) continue
    const found = { path: whole(name, MOST_OF_NAME), example: typeof record[name] }
    cut.findings.push({ kind: 'unknown_field', ...found })
  }
  if (unknown > MOST_UNKNOWN)
    cut.findings.push({ kind: 'unknown_field', path: MANY_UNKNOWN, example: 'many' })
  return cut
}

/** Whether the record has any documented field. */
export function knowsAny(stream: Stream, record: WireRecord): boolean {
  const { names } = planOf(stream)
  return Object.keys(record).some((name) => names.has(name))
}

/** The text, or the length of a long one: a cut could leave half an address, which no erasure finds. */
function whole(text: string, most: number): string {
  return text.length <= most ? text : `(${text.length} characters)`
}

const MOST_OF_NAME = 200
const MOST_OF_EXAMPLE = 100
/** The maximum number of unknown fields reported for one record. */
const MOST_UNKNOWN = 100
const MANY_UNKNOWN = `(more than ${MOST_UNKNOWN} fields in a record)`

interface CutPlan {
  columns: readonly CutColumn[]
  /** Every documented field. */
  names: ReadonlySet<string>
}

interface CutColumn {
  name: string
  column: Column
  /** The column's place in the key, or -1. */
  keyIndex: number
}

/** Built once for each stream, since every value of every new row uses it. */
function planOf(stream: Stream): CutPlan {
  const made = PLANS.get(stream)
  if (made !== undefined) return made
  const columns = Object.entries(stream.columns).map(([name, column]) => {
    return { name, column, keyIndex: stream.key.indexOf(name) }
  })
  const { also = [], aliases = {}, transient } = stream
  const named = [...Object.keys(stream.columns), ...also, ...transient]
  const plan = { columns, names: new Set([...named, ...Object.values(aliases).flat()]) }
  PLANS.set(stream, plan)
  return plan
}

const PLANS = new WeakMap<Stream, CutPlan>()

function cutValue(cut: CutRow, { name: path, column }: CutColumn, value: unknown): string | null {
  if (value === undefined || value === null || (value === '' && column.pg !== 'text')) return null
  const text = column.read(value)
  if (text === undefined) {
    const example = Array.isArray(value) ? 'array' : typeof value
    cut.findings.push({ kind: 'broken_value', path, example })
    cut.broken.push(path)
    return null
  }
  if (column.pg === 'text[]' && Array.isArray(value) && value.includes(null))
    cut.findings.push({ kind: 'broken_value', path, example: 'null in an array' })
  if (column.known !== undefined && !column.known.some((known) => String(known) === text))
    cut.findings.push({ kind: 'unknown_value', path, example: whole(text, MOST_OF_EXAMPLE) })
  const clean = column.pg === 'jsonb' ? cleanJson(blankTransient(text, [])) : cleanText(text)
  if (clean !== text) cut.cleaned = true
  return clean
}

/** Replaces NUL, which Postgres refuses, and lone surrogates, which it would replace without notice. */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\u2400') : wellFormed
}

/** `cleanText` for JSON text, in which NUL and lone surrogates are escapes, in names as well as in values. */
export function cleanJson(json: string): string {
  if (!JSON_UNSTORABLE.test(json)) return json
  return json.replace(JSON_ESCAPE, (escape) => {
    if (escape.toLowerCase() === '\\u0000') return '\u2400'
    return /^\\ud[89a-f]/i.test(escape) ? '\ufffd' : escape
  })
}

/** JSON.stringify escapes only lone surrogates. An escaped backslash must match first, as in `\\u0000`. */
const JSON_ESCAPE = /\\(?:u[0-9a-f]{4}|.)/gi
const JSON_UNSTORABLE = /\\u(?:0000|d[89a-f])/i
