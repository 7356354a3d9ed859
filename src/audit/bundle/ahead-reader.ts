import { close, read } from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { RandomAccessReader } from 'yauzl'

type Asked = Parameters<RandomAccessReader['read']>

interface Block {
  from: number
  bytes: Buffer
}

/**
 * A file read in large blocks. Whoever reads on from a block's end finds the next one on its way, so that the
 * system reads while the program hashes. The list of members is read in pieces of some fifty bytes; with a
 * system call for each, a long list would take as long as a bundle a thousand times its size.
 */
export class AheadReader extends RandomAccessReader {
  readonly #fd: number
  #block: Block = { from: 0, bytes: Buffer.alloc(0) }
  #ahead: { from: number; block: Promise<Block> } | undefined
  /** What a block was read into that nobody looks at any more. */
  #spare: ArrayBufferLike | undefined
  /** How many are reading pieces. */
  #reading = 0

  constructor(fd: number) {
    super()
    this.#fd = fd
  }

  /** The bytes from one place to another, in pieces. Each stands until the next one is asked for. */
  async *pieces(start: number, end: number): AsyncGenerator<Buffer, undefined> {
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

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, end), { objectMode: false })
  }

  override read(...asked: Asked): void {
    const [into, at, length, position, done] = asked
    const { from, bytes } = this.#block
    if (position >= from && position + length <= from + bytes.length) {
      bytes.copy(into, at, position - from, position - from + length)
      // Without this, a long list would nest one call in another.
      queueMicrotask(() => done(null))
    } else void this.#answer(asked)
  }

  override close(done: (error: Error | null) => void): void {
    const ended = this.#ahead?.block.catch(() => undefined) ?? Promise.resolve()
    void ended.then(() => close(this.#fd, done))
  }

  async #answer([into, at, length, position, done]: Asked): Promise<void> {
    let copied = at
    let fault: Error | null = null
    try {
      for await (const piece of this.pieces(position, position + length))
        copied += piece.copy(into, copied)
    } catch (error) {
      fault = error as Error
    }
    done(fault)
  }

  async #blockAt(position: number): Promise<Block> {
    const { from, bytes } = this.#block
    const follows = position === from + bytes.length
    const ahead = this.#ahead
    this.#ahead = undefined
    const wanted = follows ? BLOCK_BYTES : FIRST_BYTES
    const block = ahead?.from === position ? await ahead.block : await this.#read(position, wanted)
    if (block.bytes.length === 0) throw new Error('the file ends in the middle')
    // While others read too, one of them may still look at it.
    if (this.#reading <= 1 && bytes.length > 0) this.#spare = bytes.buffer
    this.#block = block
    if (follows) this.#lookAhead(position + block.bytes.length)
    return block
  }

  #lookAhead(from: number): void {
    const block = this.#read(from, BLOCK_BYTES)
    // It is awaited where its bytes are wanted. If none are, the error would be unhandled.
    block.catch(() => undefined)
    this.#ahead = { from, block }
  }

  async #read(from: number, wanted: number): Promise<Block> {
    const into = Buffer.from(this.#spare ?? new ArrayBuffer(BLOCK_BYTES))
    this.#spare = undefined
    const { bytesRead } = await readAsync(this.#fd, into, 0, wanted, from)
    return { from, bytes: into.subarray(0, bytesRead) }
  }
}

function holds({ from, bytes }: Block, position: number): boolean {
  return position >= from && position < from + bytes.length
}

const readAsync = promisify(read)
const BLOCK_BYTES = 2 ** 20
/** After a jump, since the next read may be elsewhere again. */
const FIRST_BYTES = 2 ** 16
