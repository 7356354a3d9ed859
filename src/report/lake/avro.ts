import avsc, { type Schema } from 'avsc'

/** Writes records as an Avro file. The schema in its header keeps the field IDs that Iceberg reads. */
export async function encodeAvro(
  schema: object,
  records: readonly object[],
  facts: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  const metadata = Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [key, Buffer.from(value)]),
  )
  const options = { codec: 'deflate', writeHeader: 'always', metadata } as const
  const encoder = new avsc.streams.BlockEncoder(schema as Schema, options)
  for (const record of records) encoder.write(record)
  encoder.end()
  const all: Uint8Array[] = []
  for await (const piece of encoder) all.push(piece as Uint8Array)
  return Buffer.concat(all)
}

/** Reads the records of an Avro file that `encodeAvro` wrote. */
export async function decodeAvro<Item>(bytes: Uint8Array): Promise<Item[]> {
  const decoder = new avsc.streams.BlockDecoder()
  decoder.end(bytes)
  const all: Item[] = []
  for await (const record of decoder) all.push(record as Item)
  return all
}
