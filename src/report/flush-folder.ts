import { createDirtyFolders } from '../store/dirty-folders.ts'

/** Or a crash of the machine could undo what was done to the names in it. */
export async function flushFolder(path: string): Promise<void> {
  const folders = createDirtyFolders()
  folders.mark(path)
  try {
    await folders.flush()
  } finally {
    await folders.close()
  }
}
