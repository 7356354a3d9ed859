import { hash } from 'node:crypto'

/** Hashes an inline script or style for a content security policy. */
export function contentHash(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`
}
