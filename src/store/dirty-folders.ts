import { type FileHandle, open } from 'node:fs/promises'

/** Folders with changed entries. Until they are flushed, a crash of the machine may undo the changes. */
export interface DirtyFolders {
  mark(folder: string): void
  flush(): Promise<void>
  close(): Promise<void>
}

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
  /** Parallel flushes share one handle per folder. */
  const opened = (folder: string): Promise<FileHandle> => {
    const handle = handles.get(folder) ?? open(folder, 'r')
    handles.set(folder, handle)
    handle.catch(() => handles.delete(folder))
    return handle
  }
  const flushOne = async (folder: string): Promise<void> => {
    // Windows cannot flush a folder.
    if (process.platform === 'win32') return
    const handle = await opened(folder)
    await handle.sync()
  }
  return {
    mark: (folder) => void dirty.add(folder),
    async flush() {
      // Changes during a flush wait for the next one. After a failure, all folders of this flush stay dirty.
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
      // `flush` has already thrown the error of a handle that could not be opened.
      for (const handle of held)
        await handle.then(
          (one) => one.close(),
          () => {},
        )
    },
  }
}
