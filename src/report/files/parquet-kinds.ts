import type { ParquetWriter } from 'hyparquet-writer'
import { CallsheetError } from '../../core/errors.ts'

/**
 * The types of a Parquet column. `instant`: a point in time. `local`: a local time in the zone that the
 * file's metadata names. Both have microseconds.
 */
export type ParquetKind =
  | 'text'
  | 'texts'
  | 'integer'
  | 'double'
  | 'boolean'
  | 'date'
  | 'instant'
  | 'local'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

/** The IDs by which Iceberg finds a column and, if it is a list, its elements. */
export interface FieldIds {
  field: number
  element?: number | undefined
}

/** Returns the column in the file's schema, with its parts if it is a list. */
export function elementsOf(name: string, kind: ParquetKind, ids?: FieldIds): SchemaElement[] {
  const own = { name, repetition_type: 'OPTIONAL', ...withId(ids?.field) } as const
  if (kind !== 'texts') return [{ ...own, ...ELEMENTS[kind] }]
  const element = { name: 'element', repetition_type: 'OPTIONAL', ...withId(ids?.element) } as const
  return [
    { ...own, converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { ...element, ...ELEMENTS.text },
  ]
}

const withId = (id: number | undefined) => (id === undefined ? {} : { field_id: id })

/** Whether a column of that kind can store the value. */
export function canStore(value: unknown, kind: ParquetKind): boolean {
  return STORED[kind](value) !== undefined
}

/** Converts a value of SQL or a report to the value in the file. Throws if the kind cannot store it. */
export function storedValue(value: unknown, kind: ParquetKind): unknown {
  if (value === null || value === undefined) return null
  const stored = STORED[kind](value)
  if (stored === undefined) throw unfit(kind, value)
  return stored
}

const ELEMENTS: Readonly<Record<Exclude<ParquetKind, 'texts'>, Partial<SchemaElement>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE' },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  // `local` has no converted type, because a converted type would mean UTC.
  local: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
  },
}

const STORED: Readonly<Record<ParquetKind, (value: unknown) => unknown>> = {
  text: String,
  texts: (value) => (Array.isArray(value) ? value : undefined),
  integer: integerOf,
  double: (value) => (typeof value === 'number' ? value : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  date: (value) => daysOf(String(value)),
  instant: (value) => microsOf(String(value)),
  local: (value) => microsOf(`${String(value)}Z`),
}

/** Converts an integer or its digits; undefined for others. Reading digits as a number would round them. */
function integerOf(value: unknown): bigint | undefined {
  const exact = typeof value === 'string' ? /^-?\d{1,19}$/.test(value) : Number.isInteger(value)
  return exact ? BigInt(value as string | number) : undefined
}

function daysOf(value: string): number | undefined {
  const epochMs = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(epochMs) ? undefined : epochMs / 86_400_000
}

function microsOf(value: string): bigint | undefined {
  const [, second, fraction = ''] = INSTANT.exec(value) ?? []
  const epochMs = second === undefined ? Number.NaN : Date.parse(`${second}Z`)
  if (Number.isNaN(epochMs)) return undefined
  return BigInt(epochMs) * 1_000n + BigInt(fraction.padEnd(6, '0'))
}

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/

function unfit(kind: ParquetKind, value: unknown): CallsheetError {
  return new CallsheetError('parquet_value', {
    tried: `Writing a value into a Parquet column of the kind ${kind}`,
    came: `a value of the type ${typeof value} does not fit this kind`,
    todo: 'use --format csv, and report this as a bug',
  })
}
