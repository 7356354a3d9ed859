import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet'
import { TextSearch } from './text-search.ts'

/**
 * Whether a Parquet file holds one of the texts: in its values, whatever they are packed by, in its metadata
 * or in the names of its columns. Read by one column of one row group at a time. A file that is broken, or
 * packed by what we cannot open, counts as holding them.
 */
export async function parquetNames(
  file: AsyncBuffer,
  needles: readonly string[],
): Promise<boolean> {
  try {
    const metadata = await parquetMetadataAsync(file)
    if (aboutNames(metadata, needles)) return true
    return await valuesName({ file, metadata }, needles)
  } catch (error) {
    // Not the file's fault: the disk's.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error
    return true
  }
}

function aboutNames(metadata: FileMetaData, needles: readonly string[]): boolean {
  const search = new TextSearch(needles, 'cells')
  const pairs = metadata.key_value_metadata ?? []
  const texts = [
    ...pairs.flatMap(({ key, value }) => [key, value ?? '']),
    ...metadata.schema.map(({ name }) => name),
    metadata.created_by ?? '',
  ]
  return texts.some((text) => search.add(`${text}\n`)) || search.end()
}

async function valuesName(
  { file, metadata }: { file: AsyncBuffer; metadata: FileMetaData },
  needles: readonly string[],
): Promise<boolean> {
  const columns = [...new Set(leavesOf(metadata))]
  let rowStart = 0
  for (const { num_rows, columns: chunks } of metadata.row_groups) {
    const rows = Number(num_rows)
    const sizes = chunks.map(({ meta_data }) => Number(meta_data?.total_uncompressed_size ?? 0))
    if (Math.max(0, ...sizes) > MOST_CHUNK_BYTES) return true
    for (const column of columns) {
      const values = await valuesOf({ file, metadata, columns: [column], rowStart, rows })
      const search = new TextSearch(needles, 'cells')
      for (const value of values) if (search.add(`${textOf(value)}\n`)) return true
      if (search.end()) return true
    }
    rowStart += rows
  }
  return false
}

/** The columns as they are asked for: by their first names. */
function leavesOf({ row_groups }: FileMetaData): string[] {
  return row_groups.flatMap(({ columns }) =>
    columns.flatMap(({ meta_data }) => meta_data?.path_in_schema[0] ?? []),
  )
}

async function valuesOf({
  rowStart,
  rows,
  ...source
}: {
  file: AsyncBuffer
  metadata: FileMetaData
  columns: string[]
  rowStart: number
  rows: number
}): Promise<unknown[]> {
  let read: unknown[][] = []
  await parquetRead({
    ...source,
    rowStart,
    rowEnd: rowStart + rows,
    parsers: { jsonFromBytes: decode, stringFromBytes: decode, uuidFromBytes: hexOf },
    onComplete: (all) => (read = all),
  })
  if (read.length !== rows) throw new Error(`${read.length} of ${rows} rows were read`)
  return read.map(([value]) => value)
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Uint8Array) return decode(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  if (typeof value === 'object') return Object.entries(value).flat().map(textOf).join('\n')
  return typeof value === 'string' ? value : `${value as number | bigint | boolean}`
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

function hexOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** A column of a row group is held in memory; ours take a hundredth of that. */
const MOST_CHUNK_BYTES = 2 ** 28
