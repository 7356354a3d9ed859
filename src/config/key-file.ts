import { randomBytes } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { ConfigurationError } from '../core/errors.ts'
import { MOST_SECRET_BYTES, readSmallFile, whyNotRead } from '../core/read-small-file.ts'

/**
 * Makes a file of mode 0600 that gets its name only when complete. A killed process leaves no partial key,
 * and of two processes that start at once, the second reads the key of the first.
 */
export function makeKeyFile(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, content, { mode: 0o600, flush: true })
    linkSync(draft, file)
  } catch (error) {
    // A write error does not name its file.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw Object.assign(error as Error, { path: file })
  } finally {
    rmSync(draft, { force: true })
  }
}

export function readKeyFile(file: string): string {
  try {
    return readSmallFile(file, MOST_SECRET_BYTES).toString('utf8')
  } catch (error) {
    throw new ConfigurationError('key_unreadable', {
      tried: `Reading the key ${file}`,
      expected: `a regular file of at most ${MOST_SECRET_BYTES} bytes`,
      came: whyNotRead(error),
      todo: 'make the file readable by this user, or restore it from a backup of stateDirectory',
    })
  }
}
