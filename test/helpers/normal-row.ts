import type { Stream } from '../../src/core/stream.ts'

/** The key of a row in text, alike for a row of the service and of the table. */
export function keyOf(stream: Stream, row: Record<string, unknown>): string {
  return JSON.stringify(stream.key.map((name) => String(row[name])))
}

/** A row in one text, alike for a row of the service and of the table. */
export function normalRow(stream: Stream, row: Record<string, unknown>): string {
  const columns = Object.entries(stream.columns)
  return JSON.stringify(
    columns.map(([name, { pg }]) => normal(pg === 'jsonb' ? parsed(row[name]) : row[name])),
  )
}

/** The truth holds JSON as text, the database's driver parses it. */
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
