import { open, rename, rm } from 'node:fs/promises'
import { point } from '../../core/kill-point.ts'

/** Writes a file under a temporary name in the same directory and renames it once it is complete. */
export async function writeInPlace(path: string, write: (temporary: string) => Promise<void>) {
  const temporary = `${path}.part`
  try {
    await rm(temporary, { force: true })
    await point('file:writing')
    await write(temporary)
    await point('file:written')
    const file = await open(temporary, 'r+')
    // Reports contain names of people, so only the owner may read them.
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
