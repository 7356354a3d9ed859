import { createHash } from 'node:crypto'
import { hash } from '../base/random.ts'
import type { Readings } from '../readings/readings.ts'

/** A file as the response to a call. */
export class SandboxFile {
  readonly bytes: Buffer
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** Sends a file with its length, or in chunks with an end marker. */
export function fileAnswer(
  { bytes }: SandboxFile,
  headers: Record<string, string>,
  length: Readings['fileLength'],
): Response {
  const own = { ...headers, 'content-type': 'application/octet-stream' }
  const stated = { 'content-length': String(bytes.length) }
  if (length === 'stated')
    return new Response(Uint8Array.from(bytes), { headers: { ...own, ...stated } })
  const chunks = new Blob([Uint8Array.from(bytes)]).stream()
  return new Response(chunks, { headers: { ...own, 'transfer-encoding': 'chunked' } })
}

/** The bytes that must be stored for a file, for tests. */
export interface FileTruth {
  parent: string
  item: string
  /** Undefined if the service offers none. */
  sha256: string | undefined
  size: number
  /** Epoch milliseconds; undefined without an expiry. */
  expiresMs: number | undefined
}

/** Makes a file's bytes from its seed alone. Files with different seeds have different bytes. */
export function fileBytes(seed: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  for (let at = 0; at < size; at += 4) {
    const word = hash(seed, 0xf11e, at)
    for (let n = 0; n < 4 && at + n < size; n++) bytes[at + n] = (word >>> (8 * n)) & 255
  }
  return bytes
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
