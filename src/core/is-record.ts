import type { WireRecord } from './stream.ts'

/** An object with fields: neither null nor a list. */
export function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
