import { constants } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { point } from '../core/point.ts'
import type { DirtyFolders } from './dirty-folders.ts'
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
  let file: FileHandle | undefined
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  const writeOut = async (): Promise<FileHandle> => {
    const handle = (file ??= await open(temporary, NEW_FILE, 0o600))
    if (waitingBytes === 0) return handle
    await point('draft:opened')
    const pieces = waiting
    waiting = []
    waitingBytes = 0
    await writeAll(handle, pieces)
    await point('draft:written')
    return handle
  }
  const closeFile = async (): Promise<void> => {
    const handle = file
    file = undefined
    await handle?.close()
  }
  const discard = async (): Promise<void> => {
    waiting = []
    waitingBytes = 0
    if (file === undefined) return
    // The error that led here is the one to tell; what cannot be removed now is swept by the next run.
    await closeFile().catch(() => {})
    await rm(temporary, { force: true }).catch(() => {})
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
        const handle = await writeOut()
        await handle.datasync()
        await point('draft:synced')
        // Closed first: a name is given only to what nobody writes any more.
        await handle.close()
        await rename(temporary, join(folder, name))
        file = undefined
        dirty.mark(folder)
        await point('draft:renamed')
      }),
    discard,
  }
}

async function writeAll(handle: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  const total = pieces.reduce((sum, { length }) => sum + length, 0)
  const { bytesWritten } = await handle.writev(pieces)
  if (bytesWritten === total) return
  // A disk that fills up, or a signal, may cut a write short without an error.
  const rest = Buffer.concat(pieces).subarray(bytesWritten)
  for (let at = 0; at < rest.length; ) {
    const { bytesWritten: more } = await handle.write(rest, at)
    at += more
  }
}

/** Never over something that is there, and through no link. */
const NEW_FILE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
const MOST_WAITING_BYTES = 64 * 1024
