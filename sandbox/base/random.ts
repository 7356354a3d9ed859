/**
 * Hashes (seed, salt, index) to 32 bits. Rows are derived from such hashes, so that a million rows need no
 * memory and any page is made on demand. Not cryptographic.
 */
export function hash(seed: number, salt: number, index: number): number {
  let h = Math.imul(seed ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 15) ^ index, 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 13), 0x27d4eb2f)
  h = Math.imul(h ^ (h >>> 16), 0x165667b1)
  return (h ^ (h >>> 15)) >>> 0
}

/** Hashes a text, such as an address. */
export function hashText(seed: number, salt: number, text: string): number {
  return Array.from(text).reduce((h, char) => hash(h, salt, char.codePointAt(0) ?? 0), seed)
}

/** Returns a number in [0, 1). */
export function unit(seed: number, salt: number, index: number): number {
  return hash(seed, salt, index) / 2 ** 32
}

export function pick<T>(from: readonly T[], h: number): T {
  return from[h % from.length] as T // the lists of words are never empty
}

/** Returns a function that draws numbers in [0, 1), for draws that are not made per row. */
export function randomFrom(seed: number): () => number {
  let count = 0
  return () => unit(seed, 0x5eed, count++)
}

/** Scrambles 32-bit indexes one to one, so that an ID leads back to its row without a table of IDs. */
export function scramble(index: number, salt: number): number {
  let x = index ^ salt
  x = Math.imul(x, MULTIPLY_1)
  x ^= x >>> 15
  x = Math.imul(x, MULTIPLY_2)
  return (x ^ (x >>> 13)) >>> 0
}

export function unscramble(value: number, salt: number): number {
  let x = value ^ (value >>> 13) ^ (value >>> 26)
  x = Math.imul(x, INVERSE_2)
  x = x ^ (x >>> 15) ^ (x >>> 30)
  x = Math.imul(x, INVERSE_1)
  return (x ^ salt) >>> 0
}

/** Returns the multiplicative inverse modulo 2^32, by Newton's steps; exists for odd numbers only. */
function inverse(odd: number): number {
  let x = odd
  for (let step = 0; step < 5; step++) x = Math.imul(x, 2 - Math.imul(odd, x))
  return x
}

const MULTIPLY_1 = 0x9e3779b1
const MULTIPLY_2 = 0x85ebca6b
const INVERSE_1 = inverse(MULTIPLY_1)
const INVERSE_2 = inverse(MULTIPLY_2)
