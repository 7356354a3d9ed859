/** Offsets in a row: four words of the key's hash, four of the content's hash, and the request's order. */
export const KEY = 0
export const CONTENT = 4
export const SEEN = 8

const ROW_WORDS = 9
const SEGMENT_BITS = 15
const SEGMENT_WORDS = ROW_WORDS << SEGMENT_BITS
/** The initial size in words: 256 rows; most tables have no more. */
const FIRST_WORDS = ROW_WORDS << 8

/**
 * Rows of nine words in pieces of a megabyte. Whole pieces are never copied, so a table grows by little more
 * than its rows. They are large enough to be allocated apart from short-lived buffers, which would fragment
 * memory. Only the first piece begins small, and is copied while it grows.
 */
export class RowSegments {
  #segments: Int32Array[] = []

  of(row: number): Int32Array {
    const segment = this.#segments[row >>> SEGMENT_BITS]
    return segment !== undefined && baseOf(row) < segment.length ? segment : this.#grow(row)
  }

  #grow(row: number): Int32Array {
    const at = row >>> SEGMENT_BITS
    const before = this.#segments[at]
    let words = at === 0 ? (before?.length ?? FIRST_WORDS) : SEGMENT_WORDS
    while (words <= baseOf(row)) words *= 2
    const segment = new Int32Array(words)
    if (before !== undefined) segment.set(before)
    this.#segments[at] = segment
    return segment
  }
}

/** Where a row begins in its segment. */
export function baseOf(row: number): number {
  return (row & ((1 << SEGMENT_BITS) - 1)) * ROW_WORDS
}

/**
 * Finds rows by one of their two hashes: 5 to 8 bytes a row, and none before the first look-up. A row whose
 * hash changed is entered again; its old entry does no harm, because each match is compared with the row.
 */
export class RowIndex {
  readonly #rows: RowSegments
  readonly #column: number
  #slots: Int32Array<ArrayBuffer> | undefined
  #entries = 0

  constructor(rows: RowSegments, column: typeof KEY | typeof CONTENT) {
    this.#rows = rows
    this.#column = column
  }

  /** The row of this hash, or -1; `size` is the number of rows. */
  find(hash: Uint8Array, at: number, size: number): number {
    const slots = this.#slots ?? this.#build(size, FIRST_SLOTS)
    const word = readWord(hash, at)
    const last = slots.length - 1
    for (let slot = homeOf(word, slots.length); ; slot = slot === last ? 0 : slot + 1) {
      const row = slots[slot] as number
      if (row === EMPTY) return EMPTY
      const words = this.#rows.of(row)
      const base = baseOf(row) + this.#column
      if (words[base] === word && sameWords(words, base, hash, at)) return row
    }
  }

  /** Adds a row that is new or whose hash changed. */
  enter(row: number, size: number): void {
    if (this.#slots === undefined) return
    if ((this.#entries + 1) * 10 > this.#slots.length * 8) this.#build(size, NEXT_SLOTS)
    else this.#put(this.#slots, row)
  }

  #build(size: number, slotsPerRow: number): Int32Array {
    // Frees the old index first: both at once would be the memory peak of a table of a million rows.
    this.#slots?.buffer.transfer(0)
    const slots = new Int32Array(Math.max(64, Math.ceil(size * slotsPerRow))).fill(EMPTY)
    this.#slots = slots
    this.#entries = 0
    for (let row = 0; row < size; row++) this.#put(slots, row)
    return slots
  }

  #put(slots: Int32Array, row: number): void {
    const word = this.#rows.of(row)[baseOf(row) + this.#column] as number
    let slot = homeOf(word, slots.length)
    while (slots[slot] !== EMPTY) slot = slot + 1 === slots.length ? 0 : slot + 1
    slots[slot] = row
    this.#entries++
  }
}

/** A hash's first word is evenly spread, so any number of slots will do. */
function homeOf(word: number, slots: number): number {
  return Math.floor((word >>> 0) * (slots / 2 ** 32))
}

// oxlint-disable-next-line max-params -- called for every record, so it creates no object.
export function sameWords(words: Int32Array, base: number, hash: Uint8Array, at: number): boolean {
  for (let word = 0; word < 4; word++)
    if (words[base + word] !== readWord(hash, at + word * 4)) return false
  return true
}

/** Four bytes as a little-endian number, signed, since V8 stores signed numbers without an object each. */
export function readWord(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  )
}

/**
 * The keys that one pass over a list has shown, in 18 to 36 bytes each: 64 bits of the key's hash, 20 of the
 * content's, and the page. A list that shows a key twice shifted while it was read, or has records with equal
 * keys. Two keys that collide, unlikely among a million, cost only another pass.
 */
export class ShownKeys {
  /** How many records showed a key that the pass had shown before. */
  repeats = 0
  /** How many of the repeated records had the same content as the first record of the key. */
  twins = 0
  /** How many of these twins were on another page than the first. */
  apart = 0
  /** The page whose keys are being added. */
  page = 0
  #twinWords: readonly [number, number] = [0, 0]
  #words = new Int32Array(ENTRY_WORDS * FIRST_KEYS)
  #size = 0

  /** How many different keys were shown. */
  get size(): number {
    return this.#size
  }

  /** Adds a key by the first eight bytes of its hash, which begins at `at`. */
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

  has(hash: Uint8Array): boolean {
    const at = this.#find(readWord(hash, 0), readWord(hash, 4))
    return this.#words[at] !== 0 || this.#words[at + 1] !== 0
  }

  /** Identifies the set of keys with twins, whatever their order. */
  get twinKeys(): string {
    return `${this.twins} ${this.#twinWords.join(' ')}`
  }

  /** Adds a key. If the key has an entry already, returns the entry's third word instead. */
  #put(first: number, second: number, third: number): number | undefined {
    const words = this.#words
    const at = this.#find(first, second)
    if (words[at] !== 0 || words[at + 1] !== 0) return words[at + 2]
    words[at] = first
    words[at + 1] = secondWord(first, second)
    words[at + 2] = third
    return undefined
  }

  /** The place of a key's entry, or the empty place where it belongs. */
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

/** Two words of 0 mark an empty slot, so no key may have them. */
function secondWord(first: number, second: number): number {
  return second === 0 && first === 0 ? 1 : second
}

const EMPTY = -1
const FIRST_SLOTS = 1.5
const NEXT_SLOTS = 2

/** The words of an entry: two of the key's hash, and one of the content's hash and the page. */
const ENTRY_WORDS = 3
/** The page bits of an entry's third word: with 4,096 values, two pages are rarely confused. */
const PAGES = 0xfff
/** The initial number of slots, a power of two. */
const FIRST_KEYS = 64
