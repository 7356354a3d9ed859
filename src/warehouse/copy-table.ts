import { once } from 'node:events'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { DatabaseClient } from './connect.ts'

/** A COPY of the same rows out of one database and into the other: `... to stdout` and `... from stdin`. */
export interface CopyTexts {
  out: string
  into: string
}

type Sink = ReturnType<typeof copyFrom>

/**
 * Copies rows from one database to another. Buffers only one piece. Each COPY statement inserts only a few
 * megabytes, because a trigger that reads all rows of its statement needs memory for them.
 */
export async function copyTable(
  source: DatabaseClient,
  target: DatabaseClient,
  { out, into }: CopyTexts,
): Promise<void> {
  let sink: Sink | undefined
  let written = 0
  let failure: Error | undefined
  const put = async (piece: Buffer): Promise<void> => {
    sink ??= target.query(copyFrom(into)).on('error', (error: Error) => (failure ??= error))
    // In COPY's text format, every line feed ends a row.
    const end = piece.indexOf(LINE_FEED, Math.max(0, COPY_BYTES - written)) + 1
    const part = end === 0 || written + end < COPY_BYTES ? piece : piece.subarray(0, end)
    if (!sink.write(part)) await Promise.race([once(sink, 'drain'), once(sink, 'error')])
    written += part.length
    if (part.at(-1) !== LINE_FEED || written < COPY_BYTES) return
    await finish(sink)
    sink = undefined
    written = 0
    if (part.length < piece.length) await put(piece.subarray(part.length))
  }
  try {
    // After a failure the remaining rows are read too, because only then is the connection free.
    for await (const piece of source.query(copyTo(out)) as AsyncIterable<Buffer>)
      if (failure === undefined)
        await put(piece).catch((error: unknown) => (failure ??= error as Error))
  } catch (error) {
    sink?.destroy(error as Error)
    throw error
  }
  if (failure !== undefined) throw failure
  if (sink !== undefined) await finish(sink)
}

async function finish(sink: Sink): Promise<void> {
  const finished = once(sink, 'finish')
  sink.end()
  await finished
}

const LINE_FEED = 10
const COPY_BYTES = 4 * 1024 * 1024
