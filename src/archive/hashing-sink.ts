import { createHash } from 'node:crypto'
import type { Sink } from '../api/files/receive-file.ts'
import { UnusableValueError } from '../core/errors.ts'
import type { Draft } from '../store/store.ts'

export interface HashingSink extends Sink {
  /** Stores the complete file under the hash of its content. */
  keep(): Promise<{ sha256: string; size: number }>
}

/**
 * Hashes a draft while it is written. `was`: the hex digest of the content stored before; `keep` rejects any
 * other content.
 */
export function hashingSink(draft: Draft, was?: string): HashingSink {
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
      if (was !== undefined && was !== sha256) {
        await draft.discard()
        throw otherContent(was, sha256)
      }
      await draft.keep(sha256)
      return { sha256, size }
    },
  }
}

function otherContent(was: string, is: string): UnusableValueError {
  return new UnusableValueError('other_content', {
    tried: 'Downloading a file again that the store has lost',
    came: `the service returned other content: SHA-256 ${is} instead of ${was}`,
    todo: 'restore the file from a backup of the store; the other content was not stored',
  })
}
