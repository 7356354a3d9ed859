import type { BundleSource } from './source.ts'

interface Block {
  from: number
  bytes: Uint8Array
}

/**
 * Reads a source in large blocks. During a sequential read, it reads the next block in advance while the
 * program hashes the current one. One read per member would be slow, because most members are small.
 */
export class AheadReader {
  readonly #source: BundleSource
  #block: Block = { from: 0, bytes: new Uint8Array() }
  #ahead: { from: number; block: Promise<Block> } | undefined
  /** The memory of a block that is no longer used; the next read may overwrite it. */
  #spare: ArrayBufferLike | undefined
  /** The number of `pieces` iterators in use. */
  #reading = 0

  constructor(source: BundleSource) {
    this.#source = source
  }

  /** The bytes between two positions, in pieces. Each piece is valid until the next one is requested. */
  async *pieces(start: number, end: number): AsyncGenerator<Uint8Array, undefined> {
    this.#reading++
    try {
      for (let at = start; at < end; ) {
        const { from, bytes } = holds(this.#block, at) ? this.#block : await this.#blockAt(at)
        const piece = bytes.subarray(at - from, end - from)
        yield piece
        at += piece.length
      }
    } finally {
      this.#reading--
    }
    return undefined
  }

  /** Returns a copy of the bytes between two positions, which stays valid. Meant for a few bytes. */
  async bytes(start: number, end: number): Promise<Uint8Array> {
    const { from, bytes } = this.#block
    if (start >= from && end <= from + bytes.length) return bytes.slice(start - from, end - from)
    const whole = new Uint8Array(end - start)
    let filled = 0
    for await (const piece of this.pieces(start, end)) {
      whole.set(piece, filled)
      filled += piece.length
    }
    return whole
  }

  /** Waits for pending reads. */
  async settle(): Promise<void> {
    await this.#ahead?.block.catch(() => undefined)
  }

  async #blockAt(position: number): Promise<Block> {
    const { from, bytes } = this.#block
    const follows = position === from + bytes.length
    const ahead = this.#ahead
    this.#ahead = undefined
    const wanted = follows ? BLOCK_BYTES : FIRST_BYTES
    const block = ahead?.from === position ? await ahead.block : await this.#read(position, wanted)
    if (block.bytes.length === 0) throw new Error('the file is incomplete')
    // Another iterator may still use the previous block.
    if (this.#reading <= 1 && bytes.length > 0) this.#spare = bytes.buffer
    this.#block = block
    if (follows) this.#lookAhead(position + block.bytes.length)
    return block
  }

  #lookAhead(from: number): void {
    const block = this.#read(from, BLOCK_BYTES)
    // If nobody requests the bytes of this block, its error would be an unhandled rejection.
    block.catch(() => undefined)
    this.#ahead = { from, block }
  }

  async #read(from: number, wanted: number): Promise<Block> {
    const spare = this.#spare ?? new ArrayBuffer(BLOCK_BYTES)
    this.#spare = undefined
    return { from, bytes: await this.#source.read(from, from + wanted, spare) }
  }
}

function holds({ from, bytes }: Block, position: number): boolean {
  return position >= from && position < from + bytes.length
}

const BLOCK_BYTES = 2 ** 20
/** The size of a block after a jump, which is small because the next read may be elsewhere again. */
const FIRST_BYTES = 2 ** 16
