import { once } from 'node:events'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { connect, type DatabaseClient } from '../src/warehouse/connect.ts'
import { serveOrder } from './child.ts'
import { type Spent, spend } from './spent.ts'

export interface CopyOrder {
  databaseUrl: string
  /** The table that the engine filled. */
  from: string
}

/**
 * The fastest way in: the rows that the engine loaded, as ready text, by one COPY into an identical table.
 */
async function copy({ databaseUrl, from }: CopyOrder): Promise<Spent> {
  const warehouse = connect({ url: databaseUrl, poolSize: 1, statementTimeoutMs: 900_000 })
  const spent = await warehouse.withClient(async (client) => {
    const text = await textOf(client, from)
    return await spend(async () => {
      const sink = client.query(copyFrom('copy bench.copied from stdin'))
      for (const chunk of text) if (!sink.write(chunk)) await once(sink, 'drain')
      sink.end()
      await once(sink, 'finish')
      return { rows: sink.rowCount, pages: 0 }
    })
  })
  await warehouse.close()
  return spent
}

async function textOf(client: DatabaseClient, from: string): Promise<Buffer[]> {
  const source = client.query(copyTo(`copy ${from} to stdout`))
  const chunks: Buffer[] = []
  let pieces: Buffer[] = []
  let length = 0
  for await (const piece of source as AsyncIterable<Buffer>) {
    pieces.push(piece)
    length += piece.length
    if (length < CHUNK_BYTES) continue
    chunks.push(Buffer.concat(pieces))
    pieces = []
    length = 0
  }
  return [...chunks, Buffer.concat(pieces)]
}

const CHUNK_BYTES = 256 * 1024

await serveOrder(copy)
