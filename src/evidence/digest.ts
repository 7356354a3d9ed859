import { hash } from 'node:crypto'

/** SHA-256 as 64 lower-case hex digits: the form in which every digest of the evidence is written down. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex')
}

/** What the manifest says of a content, without giving the content away once the salt is gone. */
export function commitmentOf(salt: Uint8Array, contentSha256: string): string {
  return sha256Hex(`${Buffer.from(salt).toString('hex')}:${contentSha256}`)
}

export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)
}

/** Comes before the first entry and the first head. */
export const NOTHING_BEFORE = '0'.repeat(64)
