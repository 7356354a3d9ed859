import { open } from 'node:fs/promises'

/** Or a crash of the machine could undo what was done to the names in it. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
