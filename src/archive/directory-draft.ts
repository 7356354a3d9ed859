import { constants } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { point } from '../core/point.ts'
import type { DirtyFolders } from './dirty-folders.ts'
import { closeFile, flushData, openFile, renameFile, writeAll } from './file-calls.ts'
import type { Draft } from './store.ts'
import { storeFault } from './store-fault.ts'

export interface DraftOptions {
  temporary: string
  /** For messages. */
  place: string
  finalOf(sha256: string): { folder: string; name: string }
  dirty: DirtyFolders
}

/**
 * A file under a temporary name on the same file system, which takes its name only when all of it is on the
 * disk. Small ones are written in one go, when they are whole.
 */
export function openDraft({ temporary, place, finalOf, dirty }: DraftOptions): Draft {
  let file: number | undefined
  let exists = false
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  const writeOut = async (): Promise<number> => {
    file ??= await openFile(temporary, NEW_FILE, 0o600)
    exists = true
    if (waitingBytes === 0) return file
    await point('draft:opened')
    const pieces = waiting
    waiting = []
    waitingBytes = 0
    await writeAll(file, pieces)
    await point('draft:written')
    return file
  }
  const close = async (): Promise<void> => {
    const open = file
    file = undefined
    if (open !== undefined) await closeFile(open)
  }
  const discard = async (): Promise<void> => {
    waiting = []
    waitingBytes = 0
    // The error that led here is the one to tell; what cannot be removed now is swept by the next run.
    await close().catch(() => {})
    if (exists) await rm(temporary, { force: true }).catch(() => {})
    exists = false
  }
  const guard = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      await discard()
      throw storeFault(error, { tried: 'Keeping a file', place })
    }
  }
  return {
    write: (piece) =>
      guard(async () => {
        waiting.push(piece)
        waitingBytes += piece.length
        if (waitingBytes >= MOST_WAITING_BYTES) await writeOut()
      }),
    keep: (sha256) =>
      guard(async () => {
        const { folder, name } = finalOf(sha256)
        await flushData(await writeOut())
        await point('draft:synced')
        // Closed first: a name is given only to what nobody writes any more.
        await close()
        await renameFile(temporary, join(folder, name))
        exists = false
        dirty.mark(folder)
        await point('draft:renamed')
      }),
    discard,
  }
}

/** Never over something that is there, and through no link. */
const NEW_FILE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
const MOST_WAITING_BYTES = 64 * 1024
