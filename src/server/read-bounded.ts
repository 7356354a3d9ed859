import type { IncomingMessage } from 'node:http'

/** Why a body is not read, as the status that says so. */
export type Unread = 413 | 415

/** Judges by the headers alone, before anything is buffered; undefined where the body may be read. */
export function judgeHeaders({ headers }: IncomingMessage, maxBytes: number): Unread | undefined {
  const encoding = headers['content-encoding'] ?? 'identity'
  const type = headers['content-type'] ?? 'application/json'
  if (encoding !== 'identity' || !/^application\/json\s*(;|$)/i.test(type)) return 415
  return Number(headers['content-length'] ?? 0) > maxBytes ? 413 : undefined
}

/** The raw bytes, or undefined once there are more than `maxBytes`. */
export async function readBounded(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
