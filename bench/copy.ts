import { once } from 'node:events'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { type Client, connect } from '../src/warehouse/connect.ts'
import { serveOrder } from './child.ts'

export interface CopyOrder {
  databaseUrl: string
}

export interface Copied {
  wallMs: number
  rows: number
}

/**
 * The fastest way in: the rows that the engine loaded, as ready text, by one COPY into an identical table.
 */
async function copy({ databaseUrl }: CopyOrder): Promise<Copied> {
  const warehouse = connect({ url: databaseUrl, poolSize: 1 })
  const copied = await warehouse.withClient(async (client) => {
    const text = await textOf(client)
    const startedMs = performance.now()
    const sink = client.query(copyFrom('copy bench.copied from stdin'))
    for (const chunk of text) if (!sink.write(chunk)) await once(sink, 'drain')
    sink.end()
    await once(sink, 'finish')
    return { wallMs: performance.now() - startedMs, rows: sink.rowCount }
  })
  await warehouse.close()
  return copied
}

async function textOf(client: Client): Promise<Buffer[]> {
  const source = client.query(copyTo('copy svc.session_reports to stdout'))
  const pieces: Buffer[] = []
  for await (const piece of source as AsyncIterable<Buffer>) pieces.push(piece)
  const text = Buffer.concat(pieces)
  const chunks: Buffer[] = []
  for (let at = 0; at < text.length; at += CHUNK_BYTES)
    chunks.push(text.subarray(at, at + CHUNK_BYTES))
  return chunks
}

const CHUNK_BYTES = 256 * 1024

await serveOrder(copy)
