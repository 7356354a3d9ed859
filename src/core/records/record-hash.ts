import { hash } from 'node:crypto'
import type { Stream } from '../define/stream.ts'
import {
  rawNumber,
  skipBlanks,
  skipString,
  skipValue,
  stringAt,
  type WireRecord,
} from '../values/json.ts'

export const HASH_BYTES = 16

/**
 * Writes the 16 bytes that tell whether a record changed. They are taken over its bytes as received, so that
 * an unchanged record need not be parsed: other bytes of the same meaning cost a comparison in the database,
 * never a write. As a binary string a digest costs half of what a buffer would.
 */
export function writeHash(
  target: Uint8Array,
  at: number,
  { source, salt }: { source: Uint8Array | string; salt: Uint8Array | undefined },
): void {
  const digest = hash('sha256', source, 'binary')
  for (let byte = 0; byte < HASH_BYTES; byte++)
    target[at + byte] = digest.charCodeAt(byte) ^ (salt === undefined ? 0 : (salt[byte] as number))
}

/**
 * What a slice adds to the hash of each of its records: the filter where columns derive from it, and the
 * parent's key, so that no two rows ever have one hash.
 */
export function saltOf(
  stream: Stream,
  slice: { filter: Readonly<Record<string, string>>; parent: readonly string[] | undefined },
): Uint8Array | undefined {
  const filter = stream.derive === undefined ? {} : slice.filter
  if (Object.keys(filter).length === 0 && slice.parent === undefined) return undefined
  return hashOf(JSON.stringify([filter, slice.parent ?? null]))
}

export function hashOf(source: string): Buffer {
  const result = Buffer.allocUnsafe(HASH_BYTES)
  writeHash(result, 0, { source, salt: undefined })
  return result
}

/** Another hash for the same record: one that no record is ever found by. */
export function otherHash(own: Uint8Array): Buffer {
  return Buffer.from(own.map((byte) => byte ^ 0xff))
}

/** A record as JSON for the column `_raw`, without its transient fields; `source` is blanked already. */
export function rawText(stream: Stream, record: WireRecord, source: string): string {
  // Escapes are spelled anew: those that Postgres refuses are then told from pairs that it takes.
  if (stream.transient.length === 0 && !source.includes('\\')) return source
  return printed(stream, record)
}

/** A record as JSON, without its transient fields and with its secrets blanked. */
export function printed({ transient }: Stream, record: WireRecord): string {
  const kept = transient.length === 0 ? record : without(record, new Set(transient))
  return blankTransient(JSON.stringify(kept), [])
}

function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, names))
  if (typeof value !== 'object' || value === null || rawNumber(value) !== undefined) return value
  const kept: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, inner] of Object.entries(value))
    if (!names.has(name)) kept[name] = without(inner, names)
  return kept
}

/**
 * JSON text with the value of each property named in `names`, and of each whose name is that of a secret, at
 * any depth, replaced by `""`: signed addresses, tokens and passwords are never stored, whether a document
 * names them or not. All other characters stay as they came.
 */
export function blankTransient(source: string, names: readonly string[]): string {
  // Names may be written with escapes, so they are looked for as they are only in a text that has none.
  if (!source.includes('\\')) return blankPlain(source, names)
  let result = ''
  let kept = 0
  let at = source.indexOf('"')
  while (at >= 0) {
    const end = skipString(source, at)
    const colon = skipBlanks(source, end)
    let next = end
    const name = source[colon] === ':' ? stringAt(source, at, end) : undefined
    if (name !== undefined && isSecret(name, names)) {
      const value = skipBlanks(source, colon + 1)
      next = skipValue(source, value)
      result += `${source.slice(kept, value)}""`
      kept = next
    }
    at = source.indexOf('"', next)
  }
  return result + source.slice(kept)
}

/** Without escapes a quote before a colon ends a name, and the quote before that begins it. */
function blankPlain(source: string, names: readonly string[]): string {
  const secrets = namesEnding(names)
  secrets.lastIndex = 0
  let result = ''
  let kept = 0
  while (secrets.test(source)) {
    const colon = secrets.lastIndex
    const end = source.lastIndexOf('"', colon - 1) + 1
    const start = source.lastIndexOf('"', end - 2)
    const name = source.slice(start + 1, end - 1)
    if (!isSecret(name, names)) continue
    const value = skipBlanks(source, colon)
    result += `${source.slice(kept, value)}""`
    kept = skipValue(source, value)
    secrets.lastIndex = kept
  }
  return result + source.slice(kept)
}

/** Finds the end of what may be one of the names or a secret's, with its colon. Kept by the list of names. */
function namesEnding(names: readonly string[]): RegExp {
  const known = ENDINGS.get(names)
  if (known !== undefined) return known
  const either = [SECRET, ...names.map((name) => name.replace(/\W/g, '\\$&'))].join('|')
  const made = new RegExp(`(?:${either})"\\s*:`, 'gi')
  ENDINGS.set(names, made)
  return made
}

/**
 * Of text that is no JSON only what stands before the first name of a secret: where its value would end
 * cannot be told. Letters that are written as escapes could spell such a name.
 */
export function cutAtSecret(text: string): string {
  const at = text.search(SECRET_OR_ESCAPE)
  return at < 0 ? text : text.slice(0, at)
}

function isSecret(name: string, names: readonly string[]): boolean {
  return names.includes(name) || isSecretName(name)
}

/** Whether a field is called as a secret is, so that nothing of its value may be kept. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** The secrets that the service's documents name, and what others of their kind would be called. */
const SECRET =
  '(?:password|passwd|passcode|secret|access_key|private_key|signature|download_access_token' +
  '|access_token|refresh_token|join_url|start_url|meeting_url|download_url|host_key|(?<![A-Za-z])pin)'
const SECRET_NAME = new RegExp(`${SECRET}$`, 'i')
const ENDINGS = new WeakMap<readonly string[], RegExp>()
const SECRET_OR_ESCAPE = new RegExp(`${SECRET}|\\\\u00[4-7]`, 'i')
