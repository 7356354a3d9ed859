import { isDeepStrictEqual } from 'node:util'
import type { PgType } from '../../core/define/column.ts'
import type { Stream } from '../../core/define/stream.ts'
import { columnsOf, type ExportedColumn } from '../write-table.ts'

export interface LakeSchema {
  type: 'struct'
  'schema-id': number
  fields: { id: number; name: string; required: false; type: string | object }[]
}

/** The metadata of an Iceberg table (version 2), with the fields that the next snapshot needs. */
export interface TableMetadata {
  'table-uuid': string
  'last-sequence-number': number
  'last-updated-ms': number
  'last-column-id': number
  'current-snapshot-id': number
  schemas: LakeSchema[]
  'partition-specs': { 'spec-id': 0; fields: object[] }[]
  snapshots: object[]
  'snapshot-log': object[]
}

/** A snapshot as its table's metadata names it. */
interface AddedSnapshot {
  id: number
  sequence: number
  at: string
  /** The path of its list of manifests. */
  list: string
  location: string
  schema: LakeSchema
  partition: object[]
  summary: Readonly<Record<string, string>>
}

/** Returns the metadata of a table after a snapshot. */
export function metadataAfter(
  base: TableMetadata | undefined,
  { id, sequence, at, list, location, schema, partition, summary }: AddedSnapshot,
): TableMetadata {
  const timestamp = Math.max(Date.parse(at), (base?.['last-updated-ms'] ?? 0) + 1)
  const numbers = { 'snapshot-id': id, 'timestamp-ms': timestamp }
  const snapshot = {
    ...numbers,
    ...(base !== undefined && { 'parent-snapshot-id': base['current-snapshot-id'] }),
    'sequence-number': sequence,
    'manifest-list': list,
    'schema-id': schema['schema-id'],
    summary: { operation: base === undefined ? 'append' : 'overwrite', ...summary },
  }
  const schemas = base?.schemas ?? []
  const isKnown = schemas.some((one) => one['schema-id'] === schema['schema-id'])
  const columnIds = schema.fields.map((field) => elementId(field.id))
  const settings = {
    'format-version': 2,
    location,
    'current-schema-id': schema['schema-id'],
    'default-spec-id': 0,
    'last-partition-id': 1001,
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    refs: { main: { 'snapshot-id': id, type: 'branch' } },
  }
  return {
    ...settings,
    'table-uuid': base?.['table-uuid'] ?? crypto.randomUUID(),
    'last-sequence-number': sequence,
    'last-updated-ms': timestamp,
    'last-column-id': Math.max(base?.['last-column-id'] ?? 0, ...columnIds),
    'current-snapshot-id': id,
    schemas: isKnown ? schemas : [...schemas, schema],
    'partition-specs': [{ 'spec-id': 0, fields: partition }],
    snapshots: [...(base?.snapshots ?? []), snapshot],
    'snapshot-log': [...(base?.['snapshot-log'] ?? []), numbers],
  }
}

/** The columns of a stream in a lake: its own, those of an export, and the account. */
export function lakeColumns(stream: Stream): ExportedColumn[] {
  return [{ name: 'account', pg: 'text' }, ...columnsOf(stream)]
}

/**
 * Returns the schema of a stream's columns. A column keeps the ID that an earlier schema gave it; a new one,
 * or one of another type, gets a new ID, so that old files are never read as something else. All columns are
 * optional, as a later version of a table may have more of them.
 */
export function schemaOf(stream: Stream, base: TableMetadata | undefined): LakeSchema {
  const schemas = base?.schemas ?? []
  const known = schemas.flatMap(({ fields }) => fields)
  let last = base?.['last-column-id'] ?? 0
  const fields = lakeColumns(stream).map(({ name, pg }) => {
    const fieldOf = (id: number) => ({ id, name, required: false, type: typeOf(pg, id) }) as const
    const found = known.find((one) => isDeepStrictEqual(one, fieldOf(one.id)))
    if (found !== undefined) return found
    const field = fieldOf(last + 1)
    last = elementId(field.id)
    return field
  })
  const same = schemas.find((one) => isDeepStrictEqual(one.fields, fields))
  return same ?? { type: 'struct', 'schema-id': schemas.length, fields }
}

/** Returns how a table is divided: by its account, and by the UTC day of a time column. */
export function partitionBy({ fields }: LakeSchema, dayColumn: string): object[] {
  const source = (column: string) => fields.find(({ name }) => name === column)?.id
  return [
    { 'field-id': 1000, name: 'account', transform: 'identity', 'source-id': source('account') },
    { 'field-id': 1001, name: 'day', transform: 'day', 'source-id': source(dayColumn) },
  ]
}

/** The ID of a column's elements, if it is a list. It is reserved for every column. */
export function elementId(column: number): number {
  return column + 1
}

function typeOf(pg: PgType, id: number): string | object {
  const list = { type: 'list', 'element-id': elementId(id), element: 'string' }
  return pg === 'text[]' ? { ...list, 'element-required': false } : TYPES[pg]
}

const TYPES = {
  text: 'string',
  bigint: 'long',
  boolean: 'boolean',
  timestamptz: 'timestamptz',
  jsonb: 'string',
} as const
