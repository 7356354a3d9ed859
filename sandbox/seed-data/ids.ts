import { hash, scramble, unscramble } from '../base/random.ts'

/**
 * The characters of IDs: `base64` ends with `==` and may contain `/` and `+`, even at the beginning.
 * `base64url` is safe in a path.
 */
type Alphabet = 'base64' | 'base64url'

/**
 * Makes IDs from the sandbox's seed and the row's index, independently of the account: accounts share IDs on
 * purpose.
 */
export interface IdMaker {
  of(index: number): string
  /** Returns the index of an ID; undefined for another kind of ID. */
  indexOf(id: string): number | undefined
}

export function idMaker(seed: number, kind: number, alphabet: Alphabet): IdMaker {
  const salt = hash(seed, 0x1d, kind)
  const bytes = Buffer.alloc(16)
  const of = (index: number): string => {
    const first = scramble(index, salt)
    bytes.writeUInt32BE(first, 0)
    bytes.writeUInt32BE(hash(salt, 1, first), 4)
    bytes.writeUInt32BE(hash(salt, 2, first), 8)
    bytes.writeUInt32BE(hash(salt, 3, first), 12)
    return bytes.toString(alphabet)
  }
  return {
    of,
    indexOf(id) {
      const read = Buffer.from(id, alphabet)
      if (read.length !== 16) return undefined
      const index = unscramble(read.readUInt32BE(0), salt)
      return of(index) === id ? index : undefined
    },
  }
}

/**
 * Makes some IDs hard to write in a path, so that even a tiny company has a few: with a slash or plus at the
 * beginning, two slashes, a slash, or a percent sign.
 */
export function oddIds({ of, indexOf }: IdMaker): IdMaker {
  const odd = (index: number): string => (ODD[index % EVERY] ?? PLAIN).put(of(index))
  return {
    of: odd,
    indexOf(id) {
      for (const { take } of [PLAIN, ...ODD]) {
        const plain = take(id)
        const index = plain === undefined ? undefined : indexOf(plain)
        if (index !== undefined && odd(index) === id) return index
      }
      return undefined
    },
  }
}

interface Oddity {
  put(id: string): string
  take(id: string): string | undefined
}

const PLAIN: Oddity = { put: (id) => id, take: (id) => id }
const inserted = (text: string, at: number): Oddity => ({
  put: (id) => id.slice(0, at) + text + id.slice(at),
  take: (id) =>
    id.startsWith(text, at) ? id.slice(0, at) + id.slice(at + text.length) : undefined,
})
const ODD = [
  inserted('/', 0),
  inserted('+', 0),
  inserted('//', 3),
  inserted('/', 3),
  inserted('%2F', 3),
]
const EVERY = 12

/** Makes short readable IDs, such as `wb-1kx2p9`. */
export function shortIds(seed: number, prefix: string): IdMaker {
  const salt = hash(seed, 0x1e, prefix.charCodeAt(0))
  const of = (index: number): string => `${prefix}-${scramble(index, salt).toString(36)}`
  return {
    of,
    indexOf(id) {
      const index = unscramble(Number.parseInt(id.slice(prefix.length + 1), 36), salt)
      return of(index) === id ? index : undefined
    },
  }
}

/** Makes an ID that cannot be converted back to an index, e.g. of a file or an activity. */
export function plainId(seed: number, salt: number, index: number): string {
  const words = [0, 1, 2].map((n) =>
    hash(seed + n, salt, index)
      .toString(36)
      .padStart(7, '0'),
  )
  return words.join('')
}
