/** How a row lies in a segment: four words of its key, four of its content, the request that showed it. */
export const KEY = 0
export const CONTENT = 4
export const SEEN = 8

const ROW_WORDS = 9
const SEGMENT_BITS = 15
const SEGMENT_WORDS = ROW_WORDS << SEGMENT_BITS
/** 256 rows: most tables have no more. */
const FIRST_WORDS = ROW_WORDS << 8

/**
 * Rows of nine words in pieces of a megabyte that are never copied, so that a table grows by no more than its
 * rows; they are large enough to lie apart from the buffers that come and go, which would leave holes between
 * them. Only the first piece begins small, and is copied while it grows.
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
 * Finds rows by one of their two hashes: 6 to 8 bytes a row, and none before the first look-up. A row whose
 * hash changed is entered again; the entry before leads nowhere, since what is found is compared.
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

  /** Notes a row that is new or whose hash changed. */
  enter(row: number, size: number): void {
    if (this.#slots === undefined) return
    if ((this.#entries + 1) * 10 > this.#slots.length * 8) this.#build(size, NEXT_SLOTS)
    else this.#put(this.#slots, row)
  }

  #build(size: number, slotsPerRow: number): Int32Array {
    // What is there is made anew from the rows: two of them at once would be what a million rows peak by.
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

// oxlint-disable-next-line max-params -- no object is made for a look-up: there is one for every record.
export function sameWords(words: Int32Array, base: number, hash: Uint8Array, at: number): boolean {
  for (let word = 0; word < 4; word++)
    if (words[base + word] !== readWord(hash, at + word * 4)) return false
  return true
}

/**
 * Four bytes as a number, the lowest first, on every machine. Signed, which V8 keeps without an object for
 * each.
 */
export function readWord(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  )
}

const EMPTY = -1
const FIRST_SLOTS = 1.5
const NEXT_SLOTS = 2
