import { hash } from 'node:crypto'
import type { ColumnPolicy } from '../records/column-policy.ts'
import { cleanJson } from '../records/map-record.ts'
import { blankTransient, cutAtSecret } from '../records/record-hash.ts'
import { parseLossless, rawNumber, skipString } from '../values/json.ts'

export interface EventBody {
  /** The parsed value; undefined if the bytes are not JSON, or nested too deep to process. */
  parsed: unknown
  /** Cleaned JSON for the database; null if `parsed` is undefined. */
  json: string | null
  /** The bytes as received, with secret values blanked; if not JSON, cut at the first secret. */
  bytes: Buffer
  /** SHA-256 of the content; if it was parsed, independent of field order and spacing. */
  hash: Buffer
}

/** Parses a verified body of any content. */
export function readBody(body: Uint8Array): EventBody {
  const json = parse(body)
  if (json === undefined) {
    const kept = cutAtSecret(Buffer.from(body).toString('latin1'))
    return { ...NO_JSON, bytes: Buffer.from(kept, 'latin1'), hash: digest(body) }
  }
  const bytes = Buffer.from(blankTransient(json.text, []), 'utf8')
  if (isDeep(json.text)) return { ...NO_JSON, bytes, hash: digest(body) }
  return {
    parsed: json.value,
    json: cleanJson(blankTransient(JSON.stringify(json.value), [])),
    bytes,
    hash: digest(JSON.stringify(inOrder(json.value))),
  }
}

/**
 * Applies the column policy. Of a body that is not JSON only the hash remains, since no field can be found in
 * it. The hash of a changed body uses the account's key, since a plain hash would let others test guesses.
 */
export function storableBody(body: EventBody, columns: ColumnPolicy | undefined): EventBody {
  if (columns?.notifications === undefined) return body
  const keyed = columns.digest(body.hash)
  if (body.parsed === undefined) return { ...NO_JSON, bytes: Buffer.alloc(0), hash: keyed }
  const parsed = columns.notifications.applied(body.parsed)
  const text = JSON.stringify(parsed)
  if (text === JSON.stringify(body.parsed)) return body
  const kept = blankTransient(text, [])
  return { parsed, json: cleanJson(kept), bytes: Buffer.from(kept), hash: keyed }
}

const NO_JSON = { parsed: undefined, json: null }

function parse(body: Uint8Array): { value: unknown; text: string } | undefined {
  try {
    const text = UTF8.decode(body)
    return { value: parseLossless(text), text }
  } catch (error) {
    // Not UTF-8, not JSON, or nested too deep for the stack.
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError)
      return undefined
    throw error
  }
}

function digest(content: Uint8Array | string): Buffer {
  return hash('sha256', content, 'buffer')
}

/** Expects valid JSON. */
function isDeep(json: string): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const char = json[at]
    if (char === '"') at = skipString(json, at) - 1
    else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    if (depth > DEEPEST) return true
  }
  return false
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null || rawNumber(value) !== undefined) return value
  const sorted = Object.create(null) as Record<string, unknown>
  for (const [name, inner] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    sorted[name] = inOrder(inner)
  return sorted
}

const DEEPEST = 64
/** Bytes that are not UTF-8 are refused, since decoding would change them; a byte-order mark stays. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
