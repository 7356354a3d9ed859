import { rm } from 'node:fs/promises'
import { point } from '../core/kill-point.ts'
import { closeFile, flushData, NEW_FILE, openFile, renameFile, writeAll } from './file-calls.ts'

/** A file of any length under a temporary name. */
export interface DraftFile {
  /** Returns true once at least `MOST_WAITING_BYTES` wait for `writeOut`. */
  add(piece: Uint8Array): boolean
  writeOut(): Promise<void>
  /** Flushes the file to disk, then gives it its final name. */
  keep(path: string): Promise<void>
  discard(): Promise<void>
}

/** The first `writeOut` or `keep` creates the file. */
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
      // Closed first, so that nobody can still write to a file with a final name.
      await close()
      await renameFile(temporary, path)
      exists = false
    },
    async discard() {
      waiting = []
      waitingBytes = 0
      // The caller reports the original error. The store's next `open` removes a file that is left here.
      await close().catch(() => {})
      if (exists) await rm(temporary, { force: true }).catch(() => {})
      exists = false
    },
  }
}

const MOST_WAITING_BYTES = 64 * 1024
