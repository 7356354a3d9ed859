import { open, rename, rm } from 'node:fs/promises'
import { point } from '../../core/kill-point.ts'

/**
 * A file that is written under a temporary name in its own directory and takes its name only when
 * all of it is there.
 */
export async function writeInPlace(path: string, write: (temporary: string) => Promise<void>) {
  const temporary = `${path}.part`
  try {
    await rm(temporary, { force: true })
    await point('file:writing')
    await write(temporary)
    await point('file:written')
    const file = await open(temporary, 'r+')
    // Reports name people: only their owner reads them until he passes them on.
    await file.chmod(0o600)
    await file.sync()
    await file.close()
    await point('file:synced')
    await rename(temporary, path)
    await point('file:renamed')
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
