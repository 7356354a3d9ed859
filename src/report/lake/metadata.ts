import type { Stream } from '../../core/define/stream.ts'
import { columnsOf, type ExportedColumn } from '../write-table.ts'

/** A column of a lake table. All are optional, as a later version of a table may have more columns. */
export interface LakeField {
  id: number
  name: string
  required: false
  type: string | { type: 'list'; 'element-id': number; element: string; 'element-required': false }
}

export interface LakeSchema {
  type: 'struct'
  'schema-id': number
  fields: LakeField[]
}

export interface LakeSnapshot {
  'snapshot-id': number
  'parent-snapshot-id'?: number
  'sequence-number': number
  'timestamp-ms': number
  'manifest-list': string
  'schema-id': number
  summary: Readonly<Record<string, string>>
}

/** The metadata of an Iceberg table (version 2 of the format), with the fields that we write. */
export interface TableMetadata {
  'format-version': 2
  'table-uuid': string
  location: string
  'last-sequence-number': number
  'last-updated-ms': number
  'last-column-id': number
  'current-schema-id': number
  schemas: LakeSchema[]
  'default-spec-id': 0
  'partition-specs': { 'spec-id': 0; fields: object[] }[]
  'last-partition-id': number
  'default-sort-order-id': 0
  'sort-orders': object[]
  'current-snapshot-id': number
  refs: { main: { 'snapshot-id': number; type: 'branch' } }
  snapshots: LakeSnapshot[]
  'snapshot-log': { 'timestamp-ms': number; 'snapshot-id': number }[]
}

/** What a snapshot adds to a table's metadata. */
export interface Addition {
  uuid: string
  location: string
  /** The column whose UTC day partitions the table, beside the account. */
  dayColumn: string
  schema: LakeSchema
  snapshot: LakeSnapshot
}

/** Returns the metadata of a table after a snapshot. The same input gives the same text. */
export function metadataAfter(
  base: TableMetadata | undefined,
  { uuid, location, dayColumn, schema, snapshot }: Addition,
): TableMetadata {
  const id = snapshot['snapshot-id']
  const at = snapshot['timestamp-ms']
  const known = base?.schemas ?? []
  const isNew = !known.some((one) => one['schema-id'] === schema['schema-id'])
  const source = (name: string) => schema.fields.find((one) => one.name === name)?.id
  const part = (number: number, name: string, of: { column: string; transform: string }) => {
    return { 'field-id': number, name, transform: of.transform, 'source-id': source(of.column) }
  }
  const fields = [
    part(1000, 'account', { column: 'account', transform: 'identity' }),
    part(1001, 'day', { column: dayColumn, transform: 'day' }),
  ]
  return {
    'format-version': 2,
    'table-uuid': uuid,
    location,
    'last-sequence-number': snapshot['sequence-number'],
    'last-updated-ms': at,
    'last-column-id': Math.max(base?.['last-column-id'] ?? 0, lastId(schema)),
    'current-schema-id': schema['schema-id'],
    schemas: isNew ? [...known, schema] : known,
    'default-spec-id': 0,
    'partition-specs': base?.['partition-specs'] ?? [{ 'spec-id': 0, fields }],
    'last-partition-id': 1001,
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'current-snapshot-id': id,
    refs: { main: { 'snapshot-id': id, type: 'branch' } },
    snapshots: [...(base?.snapshots ?? []), snapshot],
    'snapshot-log': [...(base?.['snapshot-log'] ?? []), { 'timestamp-ms': at, 'snapshot-id': id }],
  }
}

/** The columns of a stream in a lake: its own, those of an export, and the account. */
export function lakeColumns(stream: Stream): ExportedColumn[] {
  return [{ name: 'account', pg: 'text' }, ...columnsOf(stream)]
}

/**
 * Returns the schema of a stream's columns. A column keeps the ID that an earlier schema gave it; a new one,
 * or one of another type, gets the next ID, so that old files are never read as something else.
 */
export function schemaOf(
  stream: Stream,
  base: Pick<TableMetadata, 'schemas' | 'last-column-id'> | undefined,
): LakeSchema {
  const known = (base?.schemas ?? []).flatMap(({ fields }) => fields)
  let last = base?.['last-column-id'] ?? 0
  const fields = lakeColumns(stream).map(({ name, pg }): LakeField => {
    const found = known.find((one) => one.name === name && isOfType(one, pg))
    if (found !== undefined) return found
    const id = ++last
    const list = { type: 'list', 'element-required': false, element: 'string' } as const
    const type = pg === 'text[]' ? { ...list, 'element-id': ++last } : TYPES[pg]
    return { id, name, required: false, type }
  })
  const same = base?.schemas.find((one) => JSON.stringify(one.fields) === JSON.stringify(fields))
  return same ?? { type: 'struct', 'schema-id': base?.schemas.length ?? 0, fields }
}

function isOfType({ type }: LakeField, pg: ExportedColumn['pg']): boolean {
  return pg === 'text[]' ? typeof type !== 'string' : type === TYPES[pg]
}

function lastId({ fields }: LakeSchema): number {
  return fields.reduce(
    (last, { id, type }) => Math.max(last, id, typeof type === 'string' ? 0 : type['element-id']),
    0,
  )
}

const TYPES = {
  text: 'string',
  bigint: 'long',
  boolean: 'boolean',
  timestamptz: 'timestamptz',
  jsonb: 'string',
} as const
