import { join } from 'node:path'
import { point } from '../core/point.ts'
import type { DirtyFolders } from './dirty-folders.ts'
import { type LargeFile, largeFile } from './large-file.ts'
import type { Place, SmallFiles } from './small-files.ts'
import type { Draft } from './store.ts'
import { storeFault } from './store-fault.ts'

export interface DraftOptions {
  temporary: string
  /** For messages. */
  place: string
  finalOf(sha256: string): { folder: string; name: string }
  dirty: DirtyFolders
  small: SmallFiles
}

/**
 * A file under a temporary name on the same file system, which takes its name only when all of it is on the
 * disk. One that turns out to be small is left to a thread; a larger one is written piece by piece.
 */
export function openDraft({ temporary, place, finalOf, dirty, small }: DraftOptions): Draft {
  let large: LargeFile | undefined
  let held: Place | undefined
  let size = 0
  const letGo = (): void => {
    held?.release()
    held = undefined
  }
  /** What came so far goes the way of a large file. */
  const grow = (bytes: number): LargeFile => {
    large ??= largeFile(temporary)
    if (held !== undefined) large.add(Uint8Array.prototype.slice.call(held.room, 0, bytes))
    letGo()
    return large
  }
  const discard = async (): Promise<void> => {
    letGo()
    await large?.discard()
  }
  const guard = guardOf(place, discard)
  const keep = (sha256: string): Promise<void> =>
    guard(async () => {
      const { folder, name } = finalOf(sha256)
      await grow(size).keep(join(folder, name))
      dirty.mark(folder)
      await point('draft:renamed')
    })
  return {
    write(piece) {
      const before = size
      if (before === 0) held ??= small.take()
      size += piece.length
      if (held !== undefined && size <= held.room.length) {
        copyInto(held.room, piece, before)
        return undefined
      }
      const grown = grow(before)
      return grown.add(piece) ? guard(() => grown.writeOut()) : undefined
    },
    keep,
    async keepHashed() {
      const own = held
      // The thread's from now on: nobody else may let it go.
      held = undefined
      if (own === undefined) {
        const sha256 = grow(0).digest()
        await keep(sha256)
        return { sha256, size }
      }
      try {
        const sha256 = await guard(() => own.keep(size))
        dirty.mark(finalOf(sha256).folder)
        return { sha256, size }
      } finally {
        own.release()
      }
    },
    discard,
  }
}

/**
 * Into memory that threads share a whole piece would go word by word, for who may look meanwhile: at twenty
 * times the cost. A part of one is moved at once.
 */
function copyInto(room: Uint8Array, piece: Uint8Array, at: number): void {
  const { copy } = Buffer.prototype
  const half = piece.length >> 1
  copy.call(piece, room, at, 0, half)
  copy.call(piece, room, at + half, half)
}

/** Leaves nothing of a file that could not be kept, and says what the system's errors mean. */
function guardOf(place: string, discard: () => Promise<void>) {
  return async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      await discard()
      throw storeFault(error, { tried: 'Keeping a file', place })
    }
  }
}
