import { rm } from 'node:fs/promises'
import { point } from '../core/kill-point.ts'
import { closeFile, flushData, NEW_FILE, openFile, renameFile, writeAll } from './file-calls.ts'

/** A file of any length under a temporary name. */
export interface DraftFile {
  /** Returns whether enough bytes wait to be written out. */
  add(piece: Uint8Array): boolean
  writeOut(): Promise<void>
  /** Gives the file its name once all of it is on disk. */
  keep(path: string): Promise<void>
  discard(): Promise<void>
}

/** Creates the file with the first bytes that are written out. */
export function draftFile(temporary: string): DraftFile {
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
  return {
    add(piece) {
      waiting.push(piece)
      waitingBytes += piece.length
      return waitingBytes >= MOST_WAITING_BYTES
    },
    writeOut: async () => void (await writeOut()),
    async keep(path) {
      await flushData(await writeOut())
      await point('draft:synced')
      // The file is closed first: only a file that nobody writes any more gets its name.
      await close()
      await renameFile(temporary, path)
      exists = false
    },
    async discard() {
      waiting = []
      waitingBytes = 0
      // The original error is the one to report; the next run sweeps what cannot be removed now.
      await close().catch(() => {})
      if (exists) await rm(temporary, { force: true }).catch(() => {})
      exists = false
    },
  }
}

const MOST_WAITING_BYTES = 64 * 1024
