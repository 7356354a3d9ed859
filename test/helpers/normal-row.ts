import type { Readings } from '../../sandbox/readings/readings.ts'
import type { Stream } from '../../src/core/define/stream.ts'

/** A row's key as text, equal for a row of the service and of the table. */
export function keyOf(stream: Stream, row: Record<string, unknown>): string {
  return JSON.stringify(stream.key.map((name) => String(row[name])))
}

/**
 * A row as text, equal for a row of the service and of the table. `emptyAlike`: the service does not
 * distinguish empty from missing values, so neither does the text.
 */
export function normalRow(
  stream: Stream,
  row: Record<string, unknown>,
  emptyAlike: boolean = false,
): string {
  const columns = Object.entries(stream.columns).map(([name, { pg }]) =>
    normal(pg === 'jsonb' ? parsed(row[name]) : row[name]),
  )
  return JSON.stringify(emptyAlike ? columns.map(withoutEmpty) : columns)
}

/** Returns true if a service with these readings sends empty and missing values alike. */
export function writesEmptyAlike({ emptyFields, emptyLists }: Partial<Readings>): boolean {
  return (emptyFields ?? 'mixed') !== 'mixed' || (emptyLists ?? 'empty') !== 'empty'
}

function withoutEmpty(value: unknown): unknown {
  if (value === '' || (Array.isArray(value) && value.length === 0)) return null
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, withoutEmpty(inner)] as const)
  return Object.fromEntries(entries.filter(([, inner]) => inner !== null))
}

/** The sandbox's data has JSON as text; the database's driver parses it. */
function parsed(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value
}

function normal(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(normal)
  if (typeof value !== 'object') return value
  const entries = Object.entries(value).map(([name, inner]) => [name, normal(inner)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
