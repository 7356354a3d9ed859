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
 * Writes the 16-byte hash that shows whether a record changed. It covers the bytes as received, so that an
 * unchanged record need not be parsed. Other bytes with equal meaning cost a comparison in the database, and
 * make no new version of the row. A digest as a binary string costs half as much as a buffer.
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
 * The salt in the hash of each record of a slice: the filter, if the stream derives columns, and the parent's
 * key. So equal records of two parents have different hashes.
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

/** A hash other than the record's own, so that the next reading finds the record changed. */
export function otherHash(own: Uint8Array): Buffer {
  return Buffer.from(own.map((byte) => byte ^ 0xff))
}

/**
 * The hash of a row that was rewritten in the database. It ends in four zero bytes, by which `merge-rows.ts`
 * recognizes the row: if the next read finds equal values, it updates only the hash.
 */
export function rewrittenHash(source: string): Buffer {
  return hashOf(source).fill(0, HASH_BYTES - 4)
}

/** A record as JSON for the column `_raw`, without transient fields. `source`: its text, secrets blanked. */
export function rawText(stream: Stream, record: WireRecord, source: string): string {
  // Printing leaves only lone surrogates escaped, and `cleanJson` replaces every escaped surrogate.
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
 * Replaces by `""` the value of each property in JSON text that is in `names` or has the name of a secret, at
 * any depth: signed addresses, tokens and passwords are never stored, documented or not. All other characters
 * stay as received.
 */
export function blankTransient(source: string, names: readonly string[]): string {
  // Escapes may hide a name, so a plain search works only in a text without escapes.
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

/** In a text without escapes, a quote before a colon ends a name, and the preceding quote begins it. */
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

/** Matches the end of a secret's name or of a name that may be in `names`, and the colon. Cached by list. */
function namesEnding(names: readonly string[]): RegExp {
  const known = ENDINGS.get(names)
  if (known !== undefined) return known
  const either = [SECRET, ...names.map((name) => name.replace(/\W/g, '\\$&'))].join('|')
  const made = new RegExp(`(?:${either})"\\s*:`, 'gi')
  ENDINGS.set(names, made)
  return made
}

/**
 * Cuts a text, which need not be JSON, before the first name of a secret, since the end of the secret is
 * unknown, or before an escaped letter, which could be part of such a name.
 */
export function cutAtSecret(text: string): string {
  const at = text.search(SECRET_OR_ESCAPE)
  return at < 0 ? text : text.slice(0, at)
}

function isSecret(name: string, names: readonly string[]): boolean {
  return names.includes(name) || isSecretName(name)
}

/** Whether a field has the name of a secret, so that its value must not be stored. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** The documented names of secrets, and probable names of similar ones. */
const SECRET =
  '(?:password|passwd|passcode|secret|access_key|private_key|signature|download_access_token' +
  '|access_token|refresh_token|join_url|start_url|meeting_url|download_url|host_key|(?<![A-Za-z])pin)'
const SECRET_NAME = new RegExp(`${SECRET}$`, 'i')
const ENDINGS = new WeakMap<readonly string[], RegExp>()
const SECRET_OR_ESCAPE = new RegExp(`${SECRET}|\\\\u00[4-7]`, 'i')
