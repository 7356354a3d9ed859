import type { Stream } from '../define/stream.ts'
import type { WireRecord } from '../values/wire-record.ts'

/**
 * Why a record that has a key cannot be a row: it is far larger than any honest one, so that to cut and store
 * it would take what the other work needs. Undefined for all others.
 */
export function unfitness(
  record: WireRecord,
  { source, nestedStreams }: { source: string; nestedStreams: readonly Stream[] },
): string | undefined {
  if (isTooDeep(record, source)) return TOO_DEEP
  let fields = 0
  for (const name in record)
    if (Object.hasOwn(record, name) && ++fields > MAX_FIELDS)
      return `more than ${MAX_FIELDS} fields`
  for (const { name, sync } of nestedStreams) {
    const parts: unknown = sync.kind === 'nested' ? sync.items(record) : undefined
    if (Array.isArray(parts) && parts.length > MAX_PARTS)
      return `more than ${MAX_PARTS} records of ${name} in it`
  }
  return undefined
}

/** Postgres refuses JSON that is nested deeper than its stack, and no honest record is. */
function isTooDeep(record: WireRecord, source: string): boolean {
  // Hardly any has so many brackets at all, and they are counted faster than the record is walked through.
  let brackets = 0
  for (const bracket of ['{', '['])
    for (let at = source.indexOf(bracket); at >= 0; at = source.indexOf(bracket, at + 1))
      if (++brackets > MAX_DEPTH) return deeperThan(record, MAX_DEPTH)
  return false
}

function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const fields = value as Record<string, unknown>
  for (const name in fields) if (deeperThan(fields[name], levels - 1)) return true
  return false
}

const MAX_DEPTH = 64
export const TOO_DEEP = `nested deeper than ${MAX_DEPTH}`
const MAX_FIELDS = 2_000
const MAX_PARTS = 10_000
