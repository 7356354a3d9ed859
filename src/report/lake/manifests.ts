import avsc, { type Schema } from 'avsc'
import type { LakeSchema } from './metadata.ts'

/** An entry of a manifest. It describes a data file, which has the rows of one account and day. */
export interface ManifestEntry {
  /** 0: the file stays, 1: it is new, 2: this snapshot no longer has it. */
  status: 0 | 1 | 2
  /** The snapshot that added or removed the file. */
  snapshot_id: number
  /** The sequence number of the snapshot that added the file; the same in both fields. */
  sequence_number: number
  file_sequence_number: number
  data_file: {
    content: 0
    file_path: string
    file_format: 'PARQUET'
    /** The day in days since 1970; null for rows without a time. */
    partition: { account: string; day: number | null }
    record_count: number
    file_size_in_bytes: number
  }
}

export async function encodeManifest(
  entries: readonly ManifestEntry[],
  { schema, partition }: { schema: LakeSchema; partition: readonly object[] },
): Promise<Buffer> {
  return await encodeAvro(ENTRY, entries, {
    schema: JSON.stringify(schema),
    'schema-id': String(schema['schema-id']),
    'partition-spec': JSON.stringify(partition),
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
  })
}

/** Encodes the list of a snapshot's manifests: the one with these entries, or none without entries. */
export async function encodeManifestList(
  manifest: { path: string; bytes: number; entries: readonly ManifestEntry[] },
  { snapshot, sequence }: { snapshot: number; sequence: number },
): Promise<Buffer> {
  const { path, bytes, entries } = manifest
  const counts = ['existing', 'added', 'deleted'].flatMap((name, status) => {
    const rows = entries.flatMap((one) => (one.status === status ? one.data_file.record_count : []))
    return [
      [`${name}_files_count`, rows.length],
      [`${name}_rows_count`, rows.reduce((sum, one) => sum + one, 0)],
    ]
  })
  const record = {
    manifest_path: path,
    manifest_length: bytes,
    partition_spec_id: 0,
    content: 0,
    sequence_number: sequence,
    min_sequence_number: Math.min(sequence, ...entries.map((one) => one.sequence_number)),
    added_snapshot_id: snapshot,
    ...Object.fromEntries(counts),
  }
  return await encodeAvro(LIST, entries.length === 0 ? [] : [record], {
    'snapshot-id': String(snapshot),
    'sequence-number': String(sequence),
    'format-version': '2',
  })
}

/** Writes an Avro file. The schema in its header keeps the field IDs that Iceberg reads. */
async function encodeAvro(
  schema: object,
  records: readonly object[],
  facts: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const pairs = Object.entries(facts).map(([key, value]) => [key, Buffer.from(value)])
  const metadata = Object.fromEntries(pairs) as Record<string, Buffer>
  const options = { codec: 'deflate', writeHeader: 'always', metadata } as const
  const encoder = new avsc.streams.BlockEncoder(schema as Schema, options)
  for (const record of records) encoder.write(record)
  encoder.end()
  return Buffer.concat((await encoder.toArray()) as Uint8Array[])
}

/** Reads the records of a manifest or a list of manifests. */
export async function decodeAvro<Item>(bytes: Uint8Array): Promise<Item[]> {
  const decoder = new avsc.streams.BlockDecoder()
  decoder.end(bytes)
  return (await decoder.toArray()) as Item[]
}

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
const FILE = record('r2', [
  field(134, 'content', 'int'),
  field(100, 'file_path', 'string'),
  field(101, 'file_format', 'string'),
  field(102, 'partition', PARTITION),
  field(103, 'record_count', 'long'),
  field(104, 'file_size_in_bytes', 'long'),
])
const ENTRY = record('manifest_entry', [
  field(0, 'status', 'int'),
  optional(1, 'snapshot_id', 'long'),
  optional(3, 'sequence_number', 'long'),
  optional(4, 'file_sequence_number', 'long'),
  field(2, 'data_file', FILE),
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
