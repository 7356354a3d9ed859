import { hashOfBase64 } from '../../../src/evidence/log/base64.ts'
import {
  type ReadCheckpoint,
  readCheckpoint,
  readCount,
} from '../../../src/evidence/log/checkpoint.ts'

/**
 * Parses a self-contained proof that an entry is in a log (c2sp.org/tlog-proof), without checking it.
 * Undefined if the text is not such a proof. Ignores its line with extra data.
 */
export function readTlogProof(
  text: string,
): { index: number; path: Buffer[]; checkpoint: ReadCheckpoint } | undefined {
  const end = text.indexOf('\n\n')
  if (end < 0 || end > MOST_LENGTH) return undefined
  const [first, ...rest] = text.slice(0, end).split('\n')
  const [told = '', ...hashes] = rest[0]?.startsWith('extra ') === true ? rest.slice(1) : rest
  const index = told.startsWith('index ') ? readCount(told.slice('index '.length)) : undefined
  const path = hashes.flatMap((hash) => hashOfBase64(hash) ?? [])
  const checkpoint = readCheckpoint(text.slice(end + 2))
  const whole = first === FIRST && path.length === hashes.length && path.length <= MOST_HASHES
  if (!whole || index === undefined || checkpoint === undefined) return undefined
  return { index, path, checkpoint }
}

const FIRST = 'c2sp.org/tlog-proof@v1'
/** The height of a tree with 2^53 leaves, the most that a number can count exactly. */
const MOST_HASHES = 53
const MOST_LENGTH = 2 ** 20
