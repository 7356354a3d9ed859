/**
 * A record as received, after parsing. Integers past 2^53 are `JSON.rawJSON` objects, so printing
 * keeps every digit.
 */
export type WireRecord = Readonly<Record<string, unknown>>

/** An object with fields: neither null nor a list. */
export function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
