import { join } from 'node:path'
import { point } from '../core/kill-point.ts'
import type { DirtyFolders } from './dirty-folders.ts'
import { draftFile } from './draft-file.ts'
import type { Draft } from './store.ts'
import { storeFault } from './store-fault.ts'

export interface DraftOptions {
  temporary: string
  /** The store, as messages name it. */
  place: string
  finalOf(sha256: string): { folder: string; name: string }
  dirty: DirtyFolders
}

/**
 * Receives a file under the path `temporary`, which must be on the store's file system. The file gets its
 * final name only after its bytes are flushed to disk.
 */
export function openDraft({ temporary, place, finalOf, dirty }: DraftOptions): Draft {
  const file = draftFile(temporary)
  const guard = guardOf(place, () => file.discard())
  return {
    write: (piece) => (file.add(piece) ? guard(() => file.writeOut()) : undefined),
    keep: (sha256) =>
      guard(async () => {
        const { folder, name } = finalOf(sha256)
        await file.keep(join(folder, name))
        dirty.mark(folder)
        await point('draft:renamed')
      }),
    discard: () => file.discard(),
  }
}

/** If the work fails, removes the draft and throws a StoreError. */
function guardOf(place: string, discard: () => Promise<void>) {
  return async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      await discard()
      throw storeFault(error, { tried: 'Storing a file', place })
    }
  }
}
