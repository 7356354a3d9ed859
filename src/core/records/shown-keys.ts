import { readWord } from './row-index.ts'

/**
 * Which keys one pass over a list has shown, by 64 bits of their hashes in 12 to 24 bytes a key: a list that
 * shows one twice moved while it was read. Two keys that are taken for one, which a million hardly hold, cost
 * another pass and nothing else.
 */
export class ShownKeys {
  /** How many records showed a key that the pass had shown before. */
  repeats = 0
  #words = new Int32Array(2 * FIRST_SLOTS)
  #size = 0

  /** How many different keys were shown. */
  get size(): number {
    return this.#size
  }

  /** Notes a key by its hash, of which eight bytes stand at this place. */
  note(hash: Uint8Array, at = 0): void {
    this.noteWords(readWord(hash, at), readWord(hash, at + 4))
  }

  noteWords(first: number, second: number): void {
    if (!this.#put(first, second)) this.repeats++
    else if (++this.#size * 3 > this.#words.length) this.#grow()
  }

  #put(first: number, second: number): boolean {
    const words = this.#words
    const slots = words.length / 2
    // Two words of 0 stand for an empty slot.
    const other = second === 0 && first === 0 ? 1 : second
    let slot = first & (slots - 1)
    while (words[slot * 2] !== 0 || words[slot * 2 + 1] !== 0) {
      if (words[slot * 2] === first && words[slot * 2 + 1] === other) return false
      slot = (slot + 1) & (slots - 1)
    }
    words[slot * 2] = first
    words[slot * 2 + 1] = other
    return true
  }

  #grow(): void {
    const before = this.#words
    this.#words = new Int32Array(before.length * 2)
    for (let at = 0; at < before.length; at += 2)
      if (before[at] !== 0 || before[at + 1] !== 0)
        this.#put(before[at] as number, before[at + 1] as number)
  }
}

/** A power of two. */
const FIRST_SLOTS = 64
