import { createHash } from 'node:crypto'
import type { Sink } from '../../api/receive-file.ts'
import type { Draft } from '../../archive/store.ts'

export interface HashingSink extends Sink {
  /** Gives the file, which is whole now, the name of its content. */
  keep(): Promise<{ sha256: string; size: number }>
}

/** A draft that is hashed on its way in, here where its store does not do it. */
export function hashingSink(draft: Draft): HashingSink {
  const { keepHashed } = draft
  if (keepHashed !== undefined) {
    const { write, discard } = draft
    return { write, discard, keep: keepHashed }
  }
  const hash = createHash('sha256')
  let size = 0
  return {
    write(piece) {
      hash.update(piece)
      size += piece.length
      return draft.write(piece)
    },
    discard: () => draft.discard(),
    async keep() {
      const sha256 = hash.digest('hex')
      await draft.keep(sha256)
      return { sha256, size }
    },
  }
}
