/**
 * The files of this folder are the script of the page that verifies a bundle, put together in the order of
 * their names in `verify-page.ts`. A browser runs them as they are.
 */

/**
 * SHA-256 (FIPS 180-4) of bytes that come in pieces: what the browser has takes a file as a whole, and a file
 * of a bundle may be larger than its memory.
 */
class Sha256 {
  #state = Int32Array.from(FIRST_STATE)
  #block = new Uint8Array(BLOCK)
  #words = new Int32Array(64)
  #held = 0
  #bytes = 0

  /** @param {Uint8Array} piece */
  update(piece) {
    this.#bytes += piece.length
    let at = 0
    while (at < piece.length) {
      const taken = Math.min(BLOCK - this.#held, piece.length - at)
      this.#block.set(piece.subarray(at, at + taken), this.#held)
      this.#held += taken
      at += taken
      if (this.#held < BLOCK) break
      this.#mix(this.#block, 0)
      this.#held = 0
      // Whole blocks need not be copied.
      for (; piece.length - at >= BLOCK; at += BLOCK) this.#mix(piece, at)
    }
    return this
  }

  /** In hex. Nothing may come after it. */
  digest() {
    const bits = this.#bytes * 8
    const zeros = (2 * BLOCK - 9 - this.#held) % BLOCK
    const padding = new Uint8Array(1 + zeros + 8)
    padding[0] = 0x80
    const length = new DataView(padding.buffer, 1 + zeros)
    length.setUint32(0, Math.floor(bits / 2 ** 32))
    length.setUint32(4, bits % 2 ** 32)
    this.update(padding)
    return [...this.#state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  /** @param {Uint8Array} bytes @param {number} from */
  #mix(bytes, from) {
    const words = this.#words
    for (let i = 0, at = from; i < 16; i++, at += 4)
      words[i] =
        (valueAt(bytes, at) << 24) |
        (valueAt(bytes, at + 1) << 16) |
        (valueAt(bytes, at + 2) << 8) |
        valueAt(bytes, at + 3)
    for (let i = 16; i < 64; i++) {
      const [x, y] = [valueAt(words, i - 15), valueAt(words, i - 2)]
      const small = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)
      const large = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10)
      words[i] = valueAt(words, i - 16) + small + valueAt(words, i - 7) + large
    }
    this.#compress(words)
  }

  /** @param {Int32Array} words */
  #compress(words) {
    const state = this.#state
    let [a, b, c, d] = [valueAt(state, 0), valueAt(state, 1), valueAt(state, 2), valueAt(state, 3)]
    let [e, f, g, h] = [valueAt(state, 4), valueAt(state, 5), valueAt(state, 6), valueAt(state, 7)]
    for (let i = 0; i < 64; i++) {
      const large = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
      const one = (h + large + ((e & f) ^ (~e & g)) + valueAt(ROUNDS, i) + valueAt(words, i)) | 0
      const small = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
      const other = (small + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + one) | 0
      d = c
      c = b
      b = a
      a = (one + other) | 0
    }
    const added = [a, b, c, d, e, f, g, h]
    for (let i = 0; i < 8; i++) state[i] = valueAt(state, i) + (added[i] ?? 0)
  }
}

/** @param {Uint8Array | Int32Array} values @param {number} at */
function valueAt(values, at) {
  return /** @type {number} */ (values[at])
}

/** @param {number} word @param {number} by */
function turned(word, by) {
  return (word >>> by) | (word << (32 - by))
}

/** The first 32 bits of the fractions of roots of the first primes, as the standard takes them. */
function fractions(/** @type {number} */ count, /** @type {(prime: number) => number} */ root) {
  /** @type {number[]} */
  const primes = []
  for (let n = 2; primes.length < count; n++)
    if (primes.every((prime) => n % prime > 0)) primes.push(n)
  return Int32Array.from(primes, (prime) => Math.floor((root(prime) % 1) * 2 ** 32) | 0)
}

/** @param {string | Uint8Array} content */
function sha256(content) {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return new Sha256().update(bytes).digest()
}

const BLOCK = 64
const ROUNDS = fractions(64, Math.cbrt)
const FIRST_STATE = fractions(8, Math.sqrt)
