/** Decodes canonical standard base64; undefined for anything else. */
export function bytesOfBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Decodes a SHA-256 in base64; undefined for anything else. */
export function hashOfBase64(text: string): Buffer | undefined {
  const bytes = text.length === HASH_LENGTH ? bytesOfBase64(text) : undefined
  return bytes?.length === HASH_BYTES ? bytes : undefined
}

const HASH_BYTES = 32
const HASH_LENGTH = 44
