import { hash } from 'node:crypto'

/** SHA-256 as 64 lower-case hex digits, the form of digests in entries. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex')
}

/** The manifest's commitment to a content. Once the salt is deleted, it reveals nothing about the content. */
export function commitmentOf(salt: Uint8Array, contentSha256: string): string {
  return sha256Hex(`${Buffer.from(salt).toString('hex')}:${contentSha256}`)
}

/** The content that a statement about one ledger row commits to. */
export function lineContent(line: string): Buffer {
  return Buffer.from(sha256Hex(line), 'hex')
}

export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text)
}

/** The `prev` of the first entry, which has no previous entry. */
export const NOTHING_BEFORE = '0'.repeat(64)
