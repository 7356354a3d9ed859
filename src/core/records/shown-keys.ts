import { readWord } from './row-index.ts'

/**
 * Which keys one pass over a list has shown, by 64 bits of their hashes, with 20 of their contents' and the
 * page, in 18 to 36 bytes a key: a list that shows one twice moved while it was read, or has twins. Two keys
 * that are taken for one, which a million hardly hold, cost another pass and nothing else.
 */
export class ShownKeys {
  /** How many records showed a key that the pass had shown before. */
  repeats = 0
  /** How many of these had the content that the key had first. */
  twins = 0
  /** How many of these had it on another page. */
  apart = 0
  /** The page that is noted now. */
  page = 0
  #twinWords: readonly [number, number] = [0, 0]
  #words = new Int32Array(ENTRY_WORDS * FIRST_SLOTS)
  #size = 0

  /** How many different keys were shown. */
  get size(): number {
    return this.#size
  }

  /** Notes a key by its hash, of which eight bytes stand at this place. */
  note(hash: Uint8Array, at = 0, content = 0): void {
    this.noteWords(readWord(hash, at), readWord(hash, at + 4), content)
  }

  noteWords(first: number, second: number, content: number): void {
    const third = (content & ~PAGES) | (this.page & PAGES)
    const before = this.#put(first, second, third)
    if (before === undefined) {
      if (++this.#size * 1.5 > this.#words.length / ENTRY_WORDS) this.#grow()
      return
    }
    this.repeats++
    if (((before ^ third) & ~PAGES) !== 0) return
    this.twins++
    if (before !== third) this.apart++
    const [one, other] = this.#twinWords
    this.#twinWords = [(one + first) | 0, (other + second) | 0]
  }

  /** Whether a key was noted, by its hash. */
  has(hash: Uint8Array): boolean {
    const at = this.#find(readWord(hash, 0), readWord(hash, 4))
    return this.#words[at] !== 0 || this.#words[at + 1] !== 0
  }

  /** Which keys had twins, whatever their order. */
  get twinKeys(): string {
    return `${this.twins} ${this.#twinWords.join(' ')}`
  }

  /** What was noted with the key before. */
  #put(first: number, second: number, third: number): number | undefined {
    const words = this.#words
    const at = this.#find(first, second)
    if (words[at] !== 0 || words[at + 1] !== 0) return words[at + 2]
    words[at] = first
    words[at + 1] = secondWord(first, second)
    words[at + 2] = third
    return undefined
  }

  /** The place of a key, or the empty one that it would have. */
  #find(first: number, second: number): number {
    const words = this.#words
    const slots = words.length / ENTRY_WORDS
    const other = secondWord(first, second)
    let slot = first & (slots - 1)
    let at = slot * ENTRY_WORDS
    while (words[at] !== 0 || words[at + 1] !== 0) {
      if (words[at] === first && words[at + 1] === other) return at
      slot = (slot + 1) & (slots - 1)
      at = slot * ENTRY_WORDS
    }
    return at
  }

  #grow(): void {
    const before = this.#words
    this.#words = new Int32Array(before.length * 2)
    const word = (at: number): number => before[at] as number
    for (let at = 0; at < before.length; at += ENTRY_WORDS)
      if (word(at) !== 0 || word(at + 1) !== 0) this.#put(word(at), word(at + 1), word(at + 2))
  }
}

/** Two words of 0 stand for an empty slot. */
function secondWord(first: number, second: number): number {
  return second === 0 && first === 0 ? 1 : second
}

/** Two words of the key's hash, and one of its content's and its page. */
const ENTRY_WORDS = 3
/** The bits of an entry's third word that say the page; of so many pages two are hardly taken for one. */
const PAGES = 0xfff
/** A power of two. */
const FIRST_SLOTS = 64
