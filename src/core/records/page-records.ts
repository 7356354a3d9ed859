import { isAscii } from 'node:buffer'
import { parseLossless } from '../values/lossless-json.ts'
import { isRecord, type WireRecord } from '../values/wire-record.ts'

/** The records of a page as they stand in its bytes: one that is known byte for byte is never parsed. */
export class PageRecords {
  readonly count: number
  readonly #bytes: Buffer
  readonly #edges: Uint32Array
  readonly #ascii: boolean

  constructor(bytes: Buffer, edges: readonly number[]) {
    this.count = edges.length / 2
    this.#bytes = bytes
    this.#edges = Uint32Array.from(edges)
    this.#ascii = isAscii(bytes)
  }

  bytesOf(at: number): Uint8Array {
    return this.#bytes.subarray(this.#edges[at * 2], this.#edges[at * 2 + 1])
  }

  /** Far longer than any honest record: nobody reads it. */
  isTooLong(at: number): boolean {
    const [start = 0, end = 0] = [this.#edges[at * 2], this.#edges[at * 2 + 1]]
    return end - start > MAX_BYTES
  }

  textOf(at: number): string {
    const [start, end] = [this.#edges[at * 2], this.#edges[at * 2 + 1]]
    return this.#ascii
      ? this.#bytes.toString('latin1', start, end)
      : this.#bytes.toString('utf8', start, end)
  }

  parse(at: number): unknown {
    return parseLossless(this.textOf(at))
  }

  /** Whether it is one JSON value, however deep. The error would quote the text, which may be personal. */
  isJson(at: number): boolean {
    try {
      JSON.parse(this.textOf(at))
      return true
    } catch {
      return false
    }
  }

  /** An object; undefined where it is none, or nests deeper than can be parsed. */
  recordAt(at: number): WireRecord | undefined {
    try {
      const value = this.parse(at)
      return isRecord(value) ? value : undefined
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }

  /**
   * Frees the page's bytes, after which nothing of it can be read: bodies are large and little else is made
   * of an unchanged page, so that the garbage collector would let many of them lie.
   */
  release(): void {
    const { buffer, byteLength } = this.#bytes
    // Bytes that share their memory with others are not ours to free.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
  }
}

/** A page of nothing, whatever its bytes say it with. */
export function noRecords(bytes: Buffer): PageRecords {
  return new PageRecords(bytes, [])
}

/** An answer that is one record. */
export function oneRecord(bytes: Buffer): PageRecords {
  return new PageRecords(bytes, [0, bytes.length])
}

/** A whiteboard of 10,000 objects has a few millions. */
const MAX_BYTES = 16 * 2 ** 20
export const TOO_LONG = `longer than ${MAX_BYTES} bytes`
