import { isAscii } from 'node:buffer'
import { parseLossless } from '../values/lossless-json.ts'
import { isRecord, type WireRecord } from '../values/wire-record.ts'
import { elementSpans, recordSpans, topLevelFields } from './record-spans.ts'

/**
 * The records of a page as they stand in its bytes: one that is known byte for byte is never parsed. Places
 * that are a guess (`proven` is false) are right if each of them is one whole JSON value by itself, since
 * a text can be read as JSON in one way only; who uses them has to make sure of that for each record.
 */
export class PageRecords {
  readonly count: number
  readonly proven: boolean
  readonly #bytes: Buffer
  readonly #edges: Uint32Array
  readonly #ascii: boolean

  constructor(bytes: Buffer, places: { edges: readonly number[]; proven: boolean }) {
    this.count = places.edges.length / 2
    this.proven = places.proven
    this.#bytes = bytes
    this.#edges = Uint32Array.from(places.edges)
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

/**
 * The records of a page whose whole text `JSON.parse` has accepted: under the field `items`, or the elements
 * of an answer that is a list itself.
 */
export function provenRecords(bytes: Buffer, items: string | undefined): PageRecords {
  const wire = bytes.toString('latin1')
  const spans = items === undefined ? elementSpans(wire) : recordSpans(wire, items)
  const edges = spans.flatMap(({ start, end }) => [start, end])
  return new PageRecords(bytes, { edges, proven: true })
}

/** A page of nothing, whatever its bytes say it with. */
export function noRecords(bytes: Buffer): PageRecords {
  return new PageRecords(bytes, { edges: [], proven: true })
}

/** An answer that is one record. */
export function oneRecord(bytes: Buffer): PageRecords {
  return new PageRecords(bytes, { edges: [0, bytes.length], proven: true })
}

/**
 * The records of a page in the usual compact form, and the rest of its text with an empty list in their
 * place; undefined for any other form. Cut where a record may begin as the first one does: half the cost of
 * parsing would go into looking at each character.
 */
export function guessRecords(
  bytes: Buffer,
  items: string,
): { records: PageRecords; envelope: string } | undefined {
  const wire = bytes.toString('latin1')
  const name = `"${items}":[`
  const start = wire.indexOf(name) + name.length
  const end = wire.lastIndexOf(']')
  if (start < name.length || end < start) return undefined
  const edges = guessEdges(wire, start, end)
  const outline = wire.slice(0, start) + wire.slice(end)
  if (edges === undefined || !standsAt(outline, items, start - 1)) return undefined
  const envelope = bytes.toString('utf8', 0, start) + bytes.toString('utf8', end)
  return { records: new PageRecords(bytes, { edges, proven: false }), envelope }
}

function guessEdges(wire: string, start: number, end: number): number[] | undefined {
  if (start === end) return []
  const colon = wire.indexOf(':', start)
  if (wire[start] !== '{' || wire[end - 1] !== '}' || colon > start + MAX_NAME) return undefined
  const border = `},${wire.slice(start, colon + 1)}`
  const edges = [start]
  for (let at = wire.indexOf(border, start); at >= 0; at = wire.indexOf(border, at + 2))
    edges.push(at + 1, at + 2)
  edges.push(end)
  return edges
}

/** True when the outermost object has the one field of this name, an empty list, at this place. */
function standsAt(outline: string, items: string, place: number): boolean {
  try {
    const fields = topLevelFields(outline).filter(({ name }) => name === items)
    return fields.length === 1 && fields[0]?.value.start === place
  } catch {
    // Not JSON at all: the one who parses it will say so.
    return false
  }
}

const MAX_NAME = 64
/** A whiteboard of 10,000 objects has a few millions. */
const MAX_BYTES = 16 * 2 ** 20
export const TOO_LONG = `longer than ${MAX_BYTES} bytes`
