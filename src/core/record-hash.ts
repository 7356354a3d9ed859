import { hash } from 'node:crypto'
import { rawNumber } from './lossless-json.ts'
import type { Stream, WireRecord } from './stream.ts'

/** A record's stored text and the 16 bytes that tell whether it changed. */
export interface Fingerprint {
  /** The record as JSON without its transient fields. */
  text: string
  /** 12 bytes over the content, then 4 over the noisy fields, which make no new version by themselves. */
  hash: Buffer
}

/**
 * Hashes records of one slice. The slice's filter is hashed along where columns derive from it. Fields are
 * hashed in the order received: an order that changes costs a comparison in the database, never a write.
 */
export function fingerprinter(
  stream: Stream,
  filter: Readonly<Record<string, string>>,
): (record: WireRecord) => Fingerprint {
  const prefix =
    stream.derive === undefined || Object.keys(filter).length === 0 ? '' : JSON.stringify(filter)
  const transient = new Set(stream.transient)
  const noisy = new Set(stream.noisy)
  return (record) => {
    const kept = transient.size === 0 ? record : (without(record, transient) as WireRecord)
    const text = JSON.stringify(kept)
    if (noisy.size === 0) return { text, hash: digest(prefix + text, '') }
    const [steady, restless] = part(kept, noisy)
    return { text, hash: digest(prefix + JSON.stringify(steady), JSON.stringify(restless)) }
  }
}

/** The fingerprint of an audited record: over its bytes as received, transient values blanked. */
export function fingerprintOfSource(source: string): Buffer {
  return digest(source, '')
}

/** As binary strings the digests cost a third of what a buffer for each would. */
function digest(content: string, noisy: string): Buffer {
  const result = Buffer.allocUnsafe(16)
  result.write(hash('sha256', content, 'binary'), 0, 16, 'binary')
  if (noisy === '') result.writeInt32LE(0, 12)
  else result.write(hash('sha256', noisy, 'binary'), 12, 4, 'binary')
  return result
}

function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, names))
  if (typeof value !== 'object' || value === null || rawNumber(value) !== undefined) return value
  const kept: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, inner] of Object.entries(value))
    if (!names.has(name)) kept[name] = without(inner, names)
  return kept
}

function part(record: WireRecord, noisy: ReadonlySet<string>): [WireRecord, WireRecord] {
  const steady: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  const restless: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const name in record) (noisy.has(name) ? restless : steady)[name] = record[name]
  return [steady, restless]
}
