import { type FileHandle, open } from 'node:fs/promises'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { elementsOf, type FieldIds, type ParquetKind, storedValue } from './parquet-kinds.ts'

export interface ParquetColumn<Row> {
  /** The name, unique in the file. */
  name: string
  kind: ParquetKind
  ids?: FieldIds
  valueOf(row: Row): unknown
}

export interface ParquetContent<Row> {
  columns: readonly ParquetColumn<Row>[]
  /** Metadata for readers of the file, as key and value pairs. */
  metadata: Readonly<Record<string, string>>
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>
}

/**
 * Streams rows into a Parquet file with typed, nullable columns and compressed pages (Snappy). At most one
 * row group is in memory. Equal rows give equal bytes.
 */
export async function writeParquet<Row>(
  path: string,
  { columns, metadata, batches }: ParquetContent<Row>,
): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    const schema = columns.flatMap(({ name, kind, ids }) => elementsOf(name, kind, ids))
    const bytes = new FileBytes(file)
    const writer = new ParquetWriter({
      writer: bytes,
      schema: [{ name: 'root', num_children: columns.length }, ...schema],
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
      createdBy: 'callsheet',
    })
    let group = new RowGroup(columns)
    for await (const rows of batches)
      for (const row of rows) {
        group.add(row)
        if (!group.full) continue
        await group.write(writer)
        group = new RowGroup(columns)
      }
    await group.write(writer)
    await writer.finish()
    await bytes.flush()
  } finally {
    await file.close()
  }
}

class RowGroup<Row> {
  readonly #columns: readonly ParquetColumn<Row>[]
  readonly #values: unknown[][]
  #rows = 0
  #characters = 0

  constructor(columns: readonly ParquetColumn<Row>[]) {
    this.#columns = columns
    this.#values = columns.map(() => [])
  }

  add(row: Row): void {
    this.#rows++
    for (const [at, { kind, valueOf }] of this.#columns.entries()) {
      const value = storedValue(valueOf(row), kind)
      this.#values[at]?.push(value)
      if (typeof value === 'string') this.#characters += value.length
    }
  }

  get full(): boolean {
    return this.#rows >= MOST_ROWS || this.#characters >= MOST_CHARACTERS
  }

  async write(writer: ParquetWriter): Promise<void> {
    if (this.#rows === 0) return
    const columnData = this.#columns.map(({ name }, at) => ({ name, data: this.#values[at] ?? [] }))
    await writer.write({ columnData, rowGroupSize: this.#rows })
  }
}

/** Buffers the bytes of one row group. */
class FileBytes extends ByteWriter {
  readonly #file: FileHandle

  constructor(file: FileHandle) {
    super(FIRST_BYTES)
    this.#file = file
  }

  async flush(): Promise<void> {
    await this.#file.writeFile(this.getBytes())
    this.index = 0
  }
}

const FIRST_BYTES = 2 ** 20
/** The maximum number of rows in a group. Packing a group takes about ten times its size in memory. */
const MOST_ROWS = 10_000
const MOST_CHARACTERS = 2 ** 23
