import {
  baseOf,
  CONTENT,
  KEY,
  RowIndex,
  RowSegments,
  readWord,
  SEEN,
  type ShownKeys,
  sameWords,
} from './row-index.ts'

/** How a record compares with the rows loaded from the warehouse and the records admitted since. */
export type RecordJudgement = 'new' | 'changed' | KnownContent

/** The judgement of a record whose content equals that of a row. */
export type KnownContent = 'unchanged' | 'repeated' | 'superseded'

/**
 * A compact table of 128-bit hashes of keys and contents in typed arrays: 36 bytes a row, and 5 to 8 for each
 * of two indexes. The indexes are built on first use: by content for the first record, by key for the first
 * one that differs. An unchanged record costs one look-up by content. Rows not seen at the end are missing.
 */
export class FingerprintTable {
  #size = 0
  /** The number of loaded rows. If it is 0, a look-up by content could find only repeated records. */
  #loaded = 0
  readonly #rows = new RowSegments()
  readonly #contents = new RowIndex(this.#rows, CONTENT)
  readonly #keys = new RowIndex(this.#rows, KEY)

  get size(): number {
    return this.#size
  }

  /** The number of rows loaded from the warehouse. */
  get loaded(): number {
    return this.#loaded
  }

  /** Adds a row of the warehouse: from `at` on, `pair` has the 16-byte hashes of its key and content. */
  add(pair: Uint8Array, at = 0): void {
    this.#loaded++
    const row = this.#size++
    writeWords(this.#rows.of(row), baseOf(row) + KEY, pair, at)
    writeWords(this.#rows.of(row), baseOf(row) + CONTENT, pair, at + 16)
    this.#enter(row)
  }

  /**
   * True if a row has exactly this content. Always false if no rows were loaded: an index of new rows alone
   * is not worth its cost. `hashes` may contain many, one after another.
   */
  holds(hashes: Uint8Array, at: number): boolean {
    return this.#loaded > 0 && this.#contents.find(hashes, at, this.#size) >= 0
  }

  /** If a row has exactly this content, adds its key to `shown`. */
  noteKey(hashes: Uint8Array, at: number, shown: ShownKeys): void {
    const row = this.#contents.find(hashes, at, this.#size)
    if (row < 0) return
    const [words, key] = [this.#rows.of(row), baseOf(row) + KEY]
    shown.noteWords(words[key] as number, words[key + 1] as number, readWord(hashes, at))
  }

  /**
   * Judges a record that the request of this `order` returned, by its content; undefined if no row has it.
   * Marks the row as seen; it is `repeated` if this reading has shown it before, as in overlapping windows or
   * a shifting list. Orders grow with the rank, then with the request's start: within a rank, a request never
   * overrules one that began later.
   */
  show(hashes: Uint8Array, at: number, order: number): KnownContent | undefined {
    const row = this.#contents.find(hashes, at, this.#size)
    return row < 0 ? undefined : this.#showRow(row, order)
  }

  /** Like `show`, but finds the row by its key. Does not add a new or changed record: `admit` does. */
  judge(key: Uint8Array, hash: Uint8Array, order: number): RecordJudgement {
    const row = this.#findKey(key)
    if (row < 0) return 'new'
    const before = this.#seen(row)
    if (before !== NOT_SEEN && supersedes(before, order)) return 'superseded'
    const same = sameWords(this.#rows.of(row), baseOf(row) + CONTENT, hash, 0)
    return same ? this.#showRow(row, order) : 'changed'
  }

  differs(key: Uint8Array, hash: Uint8Array): boolean {
    const row = this.#findKey(key)
    return row >= 0 && !sameWords(this.#rows.of(row), baseOf(row) + CONTENT, hash, 0)
  }

  /** Stores the hashes of a new or changed record in its row, although the row is written later. */
  admit(key: Uint8Array, hash: Uint8Array, order: number): void {
    const row = this.#findKey(key)
    if (row < 0) return this.#append(key, hash, order)
    this.#see(row, order | ADMITTED)
    writeWords(this.#rows.of(row), baseOf(row) + CONTENT, hash, 0)
    this.#contents.enter(row, this.#size)
  }

  has(key: Uint8Array, at = 0): boolean {
    return this.#findKey(key, at) >= 0
  }

  /** True if a row has the key, and no request has shown it. */
  missing(key: Uint8Array): boolean {
    const row = this.#findKey(key)
    return row >= 0 && this.#seen(row) === NOT_SEEN
  }

  countMissing(): number {
    let count = 0
    for (let row = 0; row < this.#size; row++) if (this.#seen(row) === NOT_SEEN) count++
    return count
  }

  /** The contents of rows that no request has shown; undefined if there are more than `most`. */
  missingContents(most: number): Buffer[] | undefined {
    const contents: Buffer[] = []
    for (let row = 0; row < this.#size; row++) {
      if (this.#seen(row) !== NOT_SEEN) continue
      if (contents.length === most) return undefined
      contents.push(bytesOf(this.#rows.of(row), baseOf(row) + CONTENT))
    }
    return contents
  }

  /** Prepares for a second reading of the same slices. */
  forgetSeen(): void {
    for (let row = 0; row < this.#size; row++)
      this.#rows.of(row)[baseOf(row) + SEEN] = this.#admitted(row)
  }

  #findKey(key: Uint8Array, at = 0): number {
    return this.#keys.find(key, at, this.#size)
  }

  #showRow(row: number, order: number): KnownContent {
    const before = this.#seen(row)
    if (before !== NOT_SEEN && supersedes(before, order)) return 'superseded'
    this.#see(row, order | this.#admitted(row))
    return before === NOT_SEEN ? 'unchanged' : 'repeated'
  }

  #append(key: Uint8Array, hash: Uint8Array, order: number): void {
    const row = this.#size++
    writeWords(this.#rows.of(row), baseOf(row) + KEY, key, 0)
    writeWords(this.#rows.of(row), baseOf(row) + CONTENT, hash, 0)
    this.#see(row, order | ADMITTED)
    this.#enter(row)
  }

  #enter(row: number): void {
    this.#contents.enter(row, this.#size)
    this.#keys.enter(row, this.#size)
  }

  #seen(row: number): number {
    return (this.#rows.of(row)[baseOf(row) + SEEN] as number) & ~ADMITTED
  }

  #admitted(row: number): number {
    return (this.#rows.of(row)[baseOf(row) + SEEN] as number) & ADMITTED
  }

  #see(row: number, order: number): void {
    this.#rows.of(row)[baseOf(row) + SEEN] = order
  }
}

/** The order of a request: its rank above the sequence of its start. Never 0, which means "not seen". */
export function orderOf(rank: number, sequence: number): number {
  return rank * RANK_STEP + (sequence % RANK_STEP) + 1
}

/** Within a rank the later request wins; between ranks, the request of the lower rank. */
function supersedes(before: number, order: number): boolean {
  const rankBefore = Math.floor((before - 1) / RANK_STEP)
  const rank = Math.floor((order - 1) / RANK_STEP)
  return rankBefore === rank ? before > order : rankBefore < rank
}

// oxlint-disable-next-line max-params -- called for every row, so it creates no object.
function writeWords(words: Int32Array, base: number, bytes: Uint8Array, at: number): void {
  for (let word = 0; word < 4; word++) words[base + word] = readWord(bytes, at + word * 4)
}

function bytesOf(words: Int32Array, base: number): Buffer {
  const bytes = Buffer.allocUnsafe(16)
  for (let word = 0; word < 4; word++) bytes.writeInt32LE(words[base + word] as number, word * 4)
  return bytes
}

const NOT_SEEN = 0
const RANK_STEP = 2 ** 29
/** The sign bit of a row's order: its content comes from this reading, so the database may lack it. */
const ADMITTED = 1 << 31
