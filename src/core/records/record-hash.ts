import { hash } from 'node:crypto'
import type { Stream } from '../define/stream.ts'
import { rawNumber } from '../values/lossless-json.ts'
import type { WireRecord } from '../values/wire-record.ts'
import { blankTransient } from './blank-transient.ts'

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
