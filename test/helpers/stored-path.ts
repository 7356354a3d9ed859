import { join } from 'node:path'

/** The path at which a store in a folder keeps a file. */
export function storedPath(directory: string, sha256: string): string {
  return join(directory, 'files', sha256.charAt(0), sha256)
}
