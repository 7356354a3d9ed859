import { type FileHandle, open } from 'node:fs/promises'

/** Folders in which names came or went, which a crash of the machine would undo until they are flushed. */
export interface DirtyFolders {
  mark(folder: string): void
  flush(): Promise<void>
  close(): Promise<void>
}

/** Flushes one folder. */
export async function flushFolder(path: string): Promise<void> {
  const folders = createDirtyFolders()
  folders.mark(path)
  try {
    await folders.flush()
  } finally {
    await folders.close()
  }
}

export function createDirtyFolders(): DirtyFolders {
  const dirty = new Set<string>()
  const handles = new Map<string, Promise<FileHandle>>()
  /** Several flushes may come at once, and each folder is opened for all of them. */
  const opened = (folder: string): Promise<FileHandle> => {
    const handle = handles.get(folder) ?? open(folder, 'r')
    handles.set(folder, handle)
    handle.catch(() => handles.delete(folder))
    return handle
  }
  const flushOne = async (folder: string): Promise<void> => {
    // Windows has no such thing as flushing a folder.
    if (process.platform === 'win32') return
    const handle = await opened(folder)
    await handle.sync()
  }
  return {
    mark: (folder) => void dirty.add(folder),
    async flush() {
      // What comes in meanwhile is for the next flush; what cannot be flushed stays to be flushed.
      const due = [...dirty]
      dirty.clear()
      try {
        for (const folder of due) await flushOne(folder)
      } catch (error) {
        for (const folder of due) dirty.add(folder)
        throw error
      }
    },
    async close() {
      const held = [...handles.values()]
      handles.clear()
      // What could not be opened was told to whoever flushed.
      for (const handle of held)
        await handle.then(
          (one) => one.close(),
          () => {},
        )
    },
  }
}
