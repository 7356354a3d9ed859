import { isAscii } from 'node:buffer'
import { isRecord, parseLossless, type WireRecord } from '../values/json.ts'

/** The records of a page as slices of its bytes: a record whose bytes are known need not be parsed. */
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

  /** Whether the record is far longer than any legitimate one, so that it is quarantined. */
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

  /** Whether the record is valid JSON, however deep. Hides the error, which would quote the text. */
  isJson(at: number): boolean {
    try {
      JSON.parse(this.textOf(at))
      return true
    } catch {
      return false
    }
  }

  /** The parsed record; undefined if it is not an object, or nests too deep to be parsed. */
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
   * Frees the page's bytes; afterwards no record of it can be read. Bodies are large, and unchanged pages
   * allocate little else, so the garbage collector would run too rarely.
   */
  release(): void {
    const { buffer, byteLength } = this.#bytes
    // Bytes that share their memory with others are not ours to free.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
  }
}

export function noRecords(bytes: Buffer): PageRecords {
  return new PageRecords(bytes, [])
}

export function oneRecord(bytes: Buffer): PageRecords {
  return new PageRecords(bytes, [0, bytes.length])
}

/** A cut page; the envelope is its text with an empty list in place of the records. */
export interface PageCut {
  /** For each record its start and the position after its end. */
  edges: number[]
  envelope: string
}

/**
 * Cuts a page at its records: the elements of the top-level field named `items`, or of an answer that is
 * itself a list. If the envelope and each record are valid JSON, so is the page, since only blanks and commas
 * separate them. No records if that place has no list; undefined if the list is broken.
 */
export function cutPage(bytes: Buffer, items: string | undefined): PageCut | undefined {
  const list = items === undefined ? skipBlanks(bytes, 0) : placeOf(bytes, items)
  if (bytes[list] !== OPEN_BRACKET) return { edges: [], envelope: bytes.toString() }
  const edges: number[] = []
  let at = skipBlanks(bytes, list + 1)
  while (bytes[at] !== CLOSE_BRACKET || edges.length > 0) {
    const end = endOf(bytes, at)
    if (end === at) return undefined
    edges.push(at, end)
    at = skipBlanks(bytes, end)
    if (bytes[at] === CLOSE_BRACKET) break
    if (bytes[at] !== COMMA) return undefined
    at = skipBlanks(bytes, at + 1)
  }
  return { edges, envelope: bytes.toString('utf8', 0, list + 1) + bytes.toString('utf8', at) }
}

/** The position of the value of the first top-level field of this name; the bytes' end if there is none. */
function placeOf(bytes: Buffer, items: string): number {
  let at = skipBlanks(bytes, 0)
  if (bytes[at] !== OPEN_BRACE) return bytes.length
  at = skipBlanks(bytes, at + 1)
  while (bytes[at] === QUOTE) {
    const end = endOf(bytes, at)
    const value = skipBlanks(bytes, skipBlanks(bytes, end) + 1)
    if (isName(bytes.toString('utf8', at, end), items)) return value
    at = skipBlanks(bytes, endOf(bytes, value))
    if (bytes[at] !== COMMA) break
    at = skipBlanks(bytes, at + 1)
  }
  return bytes.length
}

function isName(literal: string, name: string): boolean {
  if (!literal.includes('\\')) return literal === `"${name}"`
  try {
    return JSON.parse(literal) === name
  } catch {
    return false
  }
}

/** The position after the value at `start`, at most the bytes' end; `start` if no value begins there. */
function endOf(bytes: Buffer, start: number): number {
  let [at, depth] = [start, 0]
  for (; at < bytes.length; at++) {
    const code = bytes[at] ?? 0
    if (code === QUOTE) {
      at = lastOfString(bytes, at)
      if (depth === 0) return at + 1
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === 0) return at
      if (--depth === 0) return at + 1
    } else if (depth === 0 && (code === COMMA || isBlank(code))) return at
  }
  return at
}

function lastOfString(bytes: Buffer, start: number): number {
  let at = start + 1
  for (; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
  return at
}

function skipBlanks(bytes: Buffer, start: number): number {
  let at = start
  while (isBlank(bytes[at] ?? 0)) at++
  return at
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

/** The maximum size of a record; a whiteboard of 10,000 objects has a few million bytes. */
const MAX_BYTES = 16 * 2 ** 20
export const TOO_LONG = `longer than ${MAX_BYTES} bytes`

const QUOTE = 34
const COMMA = 44
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
