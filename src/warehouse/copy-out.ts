import type { Connection, Submittable } from 'pg'

/**
 * Reads a binary `COPY ... TO STDOUT` of one column whose values have the same length. `take` gets the
 * received chunk and the position of a row's value in it, so that no object per row is needed. Nothing is
 * buffered, so the server sends no faster than `take` reads.
 */
export class CopyOut implements Submittable {
  /** Settles when the connection is free for its next query. */
  readonly ended: Promise<void>
  readonly #text: string
  readonly #valueBytes: number
  readonly #take: (bytes: Uint8Array, at: number) => void
  readonly #end: PromiseWithResolvers<void>
  #state: 'head' | 'rows' | 'end' = 'head'
  #error: Error | undefined

  constructor(text: string, valueBytes: number, take: (bytes: Uint8Array, at: number) => void) {
    this.#text = text
    this.#valueBytes = valueBytes
    this.#take = take
    this.#end = Promise.withResolvers()
    this.ended = this.#end.promise
  }

  submit(connection: Connection): void {
    connection.query(this.#text)
  }

  /** Each row is a message. The header comes with the first row, or with the trailer if there is no row. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const at = this.#state === 'head' ? HEAD_BYTES : 0
    const value = at + ROW_HEAD_BYTES
    if (this.#state !== 'end' && this.#isRow(chunk, at)) {
      this.#state = 'rows'
      this.#take(chunk, value)
    } else if (this.#state !== 'end' && isTail(chunk, at)) this.#state = 'end'
    else this.#error ??= new Error(`COPY sent ${chunk.length} bytes that are no row of its own`)
  }

  #isRow(chunk: Buffer, at: number): boolean {
    const length = this.#valueBytes
    return (
      chunk.length === at + ROW_HEAD_BYTES + length &&
      chunk.readInt16BE(at) === 1 &&
      chunk.readInt32BE(at + 2) === length
    )
  }

  handleError(error: Error): void {
    this.#end.reject(error)
  }

  handleCommandComplete(): void {
    if (this.#state !== 'end') this.#error ??= new Error('COPY ended without its tail')
  }

  handleReadyForQuery(): void {
    if (this.#error === undefined) this.#end.resolve()
    else this.#end.reject(this.#error)
  }
}

/** A field count of -1 marks the end. */
function isTail(chunk: Buffer, at: number): boolean {
  return chunk.length === at + 2 && chunk.readInt16BE(at) === -1
}

/** Bytes of the signature, the flags, and an empty header extension. */
const HEAD_BYTES = 19
/** Bytes of the number of fields and the length of the only field. */
const ROW_HEAD_BYTES = 6
