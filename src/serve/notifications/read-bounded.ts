import type { IncomingMessage } from 'node:http'

/** Why a body is not read, as the status that says so. */
export type Unread = 413 | 415

/** Judges by the headers alone, before anything is buffered; undefined where the body may be read. */
export function checkHeaders({ headers }: IncomingMessage, maxBytes: number): Unread | undefined {
  const encoding = headers['content-encoding'] ?? 'identity'
  const type = headers['content-type'] ?? 'application/json'
  if (encoding !== 'identity' || !/^application\/json\s*(;|$)/i.test(type)) return 415
  return Number(headers['content-length'] ?? 0) > maxBytes ? 413 : undefined
}

/** Why there is no whole body: more came than is read, or the sender went away before its end. */
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

/** What a request ends with whose connection ended first, by whomever. */
const GONE_AWAY = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'])
