import type { Sink } from '../../src/api/files/receive-file.ts'

export interface MemorySink extends Sink {
  bytes(): Buffer
}

/** Sinks that store the bytes in memory, and counts of sinks made and discarded. */
export function memorySinks(write: (piece: Uint8Array) => Promise<void> = async () => {}) {
  const counts = { made: 0, discarded: 0 }
  const receive = async (): Promise<MemorySink> => {
    const pieces: Uint8Array[] = []
    counts.made++
    return {
      async write(piece) {
        await write(piece)
        pieces.push(Uint8Array.from(piece))
      },
      discard: async () => void counts.discarded++,
      bytes: () => Buffer.concat(pieces),
    }
  }
  return { counts, receive }
}
