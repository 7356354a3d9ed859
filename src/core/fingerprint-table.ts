/** What a record is, compared with what the warehouse held when its slice began. */
export type Judgement = 'new' | 'changed' | 'unchanged' | 'repeated' | 'superseded'

/**
 * A compact table of 128-bit key and content hashes, 36 bytes a row plus an index of 4 to 8, in typed
 * arrays. An unchanged record costs one look-up here and nothing anywhere else; what was not seen at the
 * end is what is missing.
 */
export class FingerprintTable {
  #size = 0
  #keys = new Uint32Array(4 * 64)
  #hashes = new Uint32Array(4 * 64)
  #seen = new Uint32Array(64)
  #index = new Int32Array(256).fill(EMPTY)

  get size(): number {
    return this.#size
  }

  /** Adds what the warehouse holds. */
  add(key: Uint8Array, hash: Uint8Array): void {
    this.#append(key, hash, NOT_SEEN)
  }

  /**
   * Says what a record is that the request of this `order` shows. An unchanged one is noted as seen
   * (`repeated` when this reading has shown it before, as margins and shifting lists do); a new or changed
   * one only when the caller takes it by `admit`. Orders grow with the start of the requests, ranks first:
   * a request that began earlier never overrules a later one.
   */
  judge(key: Uint8Array, hash: Uint8Array, order: number): Judgement {
    const row = this.#find(key)
    if (row === EMPTY) return 'new'
    const before = this.#seen[row] as number
    if (before !== NOT_SEEN && supersedes(before, order)) return 'superseded'
    if (!sameWords(this.#hashes, row, hash)) return 'changed'
    this.#seen[row] = order
    return before === NOT_SEEN ? 'unchanged' : 'repeated'
  }

  /** Takes a new or changed record as what the warehouse will hold. */
  admit(key: Uint8Array, hash: Uint8Array, order: number): void {
    const row = this.#find(key)
    if (row === EMPTY) return this.#append(key, hash, order)
    this.#seen[row] = order
    writeWords(this.#hashes, row, hash)
  }

  has(key: Uint8Array): boolean {
    return this.#find(key) !== EMPTY
  }

  /** True when the key is held and no request has shown it. */
  missing(key: Uint8Array): boolean {
    const row = this.#find(key)
    return row !== EMPTY && this.#seen[row] === NOT_SEEN
  }

  countMissing(): number {
    let count = 0
    for (let row = 0; row < this.#size; row++) if (this.#seen[row] === NOT_SEEN) count++
    return count
  }

  /** Before a second reading of the same slices. */
  forgetSeen(): void {
    this.#seen.fill(NOT_SEEN, 0, this.#size)
  }

  #find(key: Uint8Array): number {
    const mask = this.#index.length - 1
    for (let slot = readWord(key, 0) & mask; ; slot = (slot + 1) & mask) {
      const row = this.#index[slot] as number
      if (row === EMPTY || sameWords(this.#keys, row, key)) return row
    }
  }

  #append(key: Uint8Array, hash: Uint8Array, seen: number): void {
    if (this.#size === this.#seen.length) this.#growRows()
    if (this.#size * 10 >= this.#index.length * 7) this.#growIndex()
    writeWords(this.#keys, this.#size, key)
    writeWords(this.#hashes, this.#size, hash)
    this.#seen[this.#size] = seen
    this.#enter(this.#size)
    this.#size++
  }

  #enter(row: number): void {
    const mask = this.#index.length - 1
    let slot = (this.#keys[row * 4] as number) & mask
    while (this.#index[slot] !== EMPTY) slot = (slot + 1) & mask
    this.#index[slot] = row
  }

  #growRows(): void {
    const rows = Math.ceil(this.#seen.length * 1.5)
    this.#keys = copyInto(new Uint32Array(rows * 4), this.#keys)
    this.#hashes = copyInto(new Uint32Array(rows * 4), this.#hashes)
    this.#seen = copyInto(new Uint32Array(rows), this.#seen)
  }

  #growIndex(): void {
    this.#index = new Int32Array(this.#index.length * 2).fill(EMPTY)
    for (let row = 0; row < this.#size; row++) this.#enter(row)
  }
}

/** The order of a request: its rank above the sequence of its start. Never 0, which stands for "not seen". */
export function orderOf(rank: number, sequence: number): number {
  return rank * RANK_STEP + (sequence % RANK_STEP) + 1
}

/** Within a rank the later request wins; between ranks the lower one does. */
function supersedes(before: number, order: number): boolean {
  const rankBefore = Math.floor((before - 1) / RANK_STEP)
  const rank = Math.floor((order - 1) / RANK_STEP)
  return rankBefore === rank ? before > order : rankBefore < rank
}

function readWord(bytes: Uint8Array, word: number): number {
  const at = word * 4
  return (
    ((bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)) >>>
    0
  )
}

function sameWords(words: Uint32Array, row: number, bytes: Uint8Array): boolean {
  for (let word = 0; word < 4; word++)
    if (words[row * 4 + word] !== readWord(bytes, word)) return false
  return true
}

function writeWords(words: Uint32Array, row: number, bytes: Uint8Array): void {
  for (let word = 0; word < 4; word++) words[row * 4 + word] = readWord(bytes, word)
}

function copyInto(target: Uint32Array<ArrayBuffer>, source: Uint32Array): Uint32Array<ArrayBuffer> {
  target.set(source)
  return target
}

const EMPTY = -1
const NOT_SEEN = 0
const RANK_STEP = 2 ** 29
