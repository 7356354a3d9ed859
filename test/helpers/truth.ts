import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Stream } from '../../src/core/stream.ts'
import type { Sandbox } from '../../src/sandbox/server.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'

/** Compares each stream's table with what the sandbox says it must hold, row for row, column for column. */
export async function expectTruth(
  warehouse: Warehouse,
  sandbox: Sandbox,
  {
    account,
    accountId,
    streams,
  }: { account: string; accountId?: string; streams: readonly Stream[] },
): Promise<void> {
  let compared = 0
  for (const stream of streams) {
    const held = await heldRows(warehouse, account, stream)
    const truth = new Map<string, string>()
    for await (const row of sandbox.truth(stream.name, accountId))
      truth.set(keyOf(stream, row), normalRow(stream, row))
    const differences: string[] = []
    for (const [key, row] of truth)
      if (held.get(key) !== row) differences.push(`${key}: ${held.get(key)} is not ${row}`)
    for (const key of held.keys())
      if (!truth.has(key)) differences.push(`${key}: not in the service`)
    expect(
      differences.slice(0, 3),
      `${stream.name}: ${differences.length} of ${truth.size} differ`,
    ).toEqual([])
    compared += truth.size
  }
  expect(compared, 'rows to compare').toBeGreaterThan(streams.length)
}

async function heldRows(
  warehouse: Warehouse,
  account: string,
  stream: Stream,
): Promise<Map<string, string>> {
  const names = Object.keys(stream.columns)
  const { rows } = await sql<Record<string, unknown>>`
    select ${sql.join(names.map((name) => sql.id(name)))} from ${sql.id('svc', stream.name)}
    where account = ${account} and _deleted_at is null`.execute(warehouse.db)
  return new Map(rows.map((row) => [keyOf(stream, row), normalRow(stream, row)]))
}

function keyOf(stream: Stream, row: Record<string, unknown>): string {
  return JSON.stringify(stream.key.map((name) => String(row[name])))
}

function normalRow(stream: Stream, row: Record<string, unknown>): string {
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
