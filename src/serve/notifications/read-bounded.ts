import type { IncomingMessage } from 'node:http'

/** The status for a body that is not read. */
export type Unread = 413 | 415

/** Checks the headers before anything is buffered. Returns undefined if the body may be read. */
export function checkHeaders({ headers }: IncomingMessage, maxBytes: number): Unread | undefined {
  const encoding = headers['content-encoding'] ?? 'identity'
  const type = headers['content-type'] ?? 'application/json'
  if (encoding !== 'identity' || !/^application\/json\s*(;|$)/i.test(type)) return 415
  return Number(headers['content-length'] ?? 0) > maxBytes ? 413 : undefined
}

/** The body exceeds the limit, or the sender disconnected before its end. */
export type Cut = 'too large' | 'cut off'

/** The raw bytes, at most `maxBytes`. */
export async function readBounded(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array | Cut> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) return 'too large'
      chunks.push(chunk)
    }
  } catch (error) {
    if (!GONE_AWAY.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    return 'cut off'
  }
  return Buffer.concat(chunks)
}

/** Errors of a request whose connection was closed early. */
const GONE_AWAY = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'])
