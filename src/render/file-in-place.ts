import { open, rename, rm } from 'node:fs/promises'

/**
 * A file that is written under a temporary name in its own directory and takes its name only when
 * all of it is there.
 */
export async function writeInPlace(path: string, write: (temporary: string) => Promise<void>) {
  const temporary = `${path}.part`
  try {
    await rm(temporary, { force: true })
    await write(temporary)
    const file = await open(temporary, 'r+')
    // Reports name people: only their owner reads them until he passes them on.
    await file.chmod(0o600)
    await file.sync()
    await file.close()
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
