import { decodeAvro, encodeAvro } from './avro.ts'
import type { TableMetadata } from './metadata.ts'

/** A data file of a lake table: the rows of an account and day. */
export interface DataFile {
  file_path: string
  /** The day in days since 1970; null for rows without a time. */
  partition: { account: string; day: number | null }
  record_count: number
  file_size_in_bytes: number
}

/** An entry of a manifest. Numbers of the snapshot that added the file stay with it. */
export interface ManifestEntry {
  /** 0: the file stays, 1: it is new, 2: this snapshot no longer has it. */
  status: 0 | 1 | 2
  snapshot_id: number
  sequence_number: number
  file_sequence_number: number
  data_file: DataFile
}

/** An entry of a manifest list: the manifest of one account. */
export interface ManifestFile {
  manifest_path: string
  manifest_length: number
  partition_spec_id: number
  content: number
  sequence_number: number
  min_sequence_number: number
  added_snapshot_id: number
  added_files_count: number
  existing_files_count: number
  deleted_files_count: number
  added_rows_count: number
  existing_rows_count: number
  deleted_rows_count: number
}

export async function encodeManifest(
  { schemas, 'current-schema-id': schemaId, 'partition-specs': [spec] }: TableMetadata,
  entries: readonly ManifestEntry[],
): Promise<Buffer> {
  const records = entries.map(({ data_file: file, ...entry }) => ({
    ...entry,
    data_file: { content: 0, file_format: 'PARQUET', ...file },
  }))
  return await encodeAvro(ENTRY, records, {
    schema: JSON.stringify(schemas.find((one) => one['schema-id'] === schemaId)),
    'schema-id': String(schemaId),
    'partition-spec': JSON.stringify(spec?.fields),
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
  })
}

export async function encodeManifestList(
  manifests: readonly ManifestFile[],
  { snapshot, sequence }: { snapshot: number; sequence: number },
): Promise<Buffer> {
  return await encodeAvro(LIST, manifests, {
    'snapshot-id': String(snapshot),
    'sequence-number': String(sequence),
    'format-version': '2',
  })
}

export const decodeManifest = (bytes: Uint8Array) => decodeAvro<ManifestEntry>(bytes)
export const decodeManifestList = (bytes: Uint8Array) => decodeAvro<ManifestFile>(bytes)

/** Describes a manifest by its entries. */
export function manifestFile(
  at: Pick<ManifestFile, 'manifest_path' | 'manifest_length' | 'sequence_number'>,
  { snapshot, entries }: { snapshot: number; entries: readonly ManifestEntry[] },
): ManifestFile {
  const counts = ([0, 1, 2] as const).map((status) => {
    const files = entries.filter((entry) => entry.status === status)
    return [files.length, files.reduce((sum, one) => sum + one.data_file.record_count, 0)] as const
  })
  const [existing = NONE, added = NONE, deleted = NONE] = counts
  const least = entries.reduce((min, one) => Math.min(min, one.sequence_number), at.sequence_number)
  return {
    ...at,
    partition_spec_id: 0,
    content: 0,
    min_sequence_number: least,
    added_snapshot_id: snapshot,
    added_files_count: added[0],
    existing_files_count: existing[0],
    deleted_files_count: deleted[0],
    added_rows_count: added[1],
    existing_rows_count: existing[1],
    deleted_rows_count: deleted[1],
  }
}

const NONE = [0, 0] as const

const field = (id: number, name: string, type: unknown) => ({ name, type, 'field-id': id })
const optional = (id: number, name: string, type: unknown) => ({
  ...field(id, name, ['null', type]),
  default: null,
})
const record = (name: string, fields: readonly object[]) => ({ type: 'record', name, fields })

// The numbers are the field IDs of the Iceberg specification, version 2.
const PARTITION = record('r102', [
  optional(1000, 'account', 'string'),
  optional(1001, 'day', { type: 'int', logicalType: 'date' }),
])
const ENTRY = record('manifest_entry', [
  field(0, 'status', 'int'),
  optional(1, 'snapshot_id', 'long'),
  optional(3, 'sequence_number', 'long'),
  optional(4, 'file_sequence_number', 'long'),
  field(
    2,
    'data_file',
    record('r2', [
      field(134, 'content', 'int'),
      field(100, 'file_path', 'string'),
      field(101, 'file_format', 'string'),
      field(102, 'partition', PARTITION),
      field(103, 'record_count', 'long'),
      field(104, 'file_size_in_bytes', 'long'),
    ]),
  ),
])
const LIST = record('manifest_file', [
  field(500, 'manifest_path', 'string'),
  field(501, 'manifest_length', 'long'),
  field(502, 'partition_spec_id', 'int'),
  field(517, 'content', 'int'),
  field(515, 'sequence_number', 'long'),
  field(516, 'min_sequence_number', 'long'),
  field(503, 'added_snapshot_id', 'long'),
  field(504, 'added_files_count', 'int'),
  field(505, 'existing_files_count', 'int'),
  field(506, 'deleted_files_count', 'int'),
  field(512, 'added_rows_count', 'long'),
  field(513, 'existing_rows_count', 'long'),
  field(514, 'deleted_rows_count', 'long'),
])
