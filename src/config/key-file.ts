import { randomBytes } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Makes a file of mode 0600 that is linked under its name only when whole: a process that is killed meanwhile
 * leaves no half key, and of two that start at once the second reads what the first one made.
 */
export function makeKeyFile(file: string, content: string | Uint8Array): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, content, { mode: 0o600, flush: true })
    linkSync(draft, file)
  } catch (error) {
    // A write does not say of which file it was.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw Object.assign(error as Error, { path: file })
  } finally {
    rmSync(draft, { force: true })
  }
}
