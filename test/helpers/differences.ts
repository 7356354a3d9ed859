import { sql } from 'kysely'
import type { Sandbox } from '../../sandbox/server/server.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { keyOf, normalRow, writesEmptyAlike } from './normal-row.ts'

interface Compared {
  /** Rows that the service shows. */
  rows: number
  /** The differences of each stream as text, a few per stream. */
  differences: string[]
}

/** Compares each stream's table with the sandbox's data, row by row and column by column. */
export async function findDifferences(
  warehouse: Warehouse,
  sandbox: Sandbox,
  {
    account,
    accountId,
    streams,
  }: { account: string; accountId?: string; streams: readonly Stream[] },
): Promise<Compared> {
  const compared: Compared = { rows: 0, differences: [] }
  const alike = writesEmptyAlike(sandbox.readings)
  for (const stream of streams) {
    const held = await heldRows(warehouse, account, { stream, alike })
    const truth = new Map<string, string>()
    for await (const row of sandbox.truth(stream.name, accountId))
      truth.set(keyOf(stream, row), normalRow(stream, row, alike))
    const found: string[] = []
    for (const [key, row] of truth)
      if (held.get(key) !== row) found.push(`${key}: ${held.get(key)} is not ${row}`)
    for (const key of held.keys()) if (!truth.has(key)) found.push(`${key}: not in the service`)
    if (found.length > 0)
      compared.differences.push(
        `${stream.name}: ${found.length} of ${truth.size} differ: ${found.slice(0, 3).join('; ')}`,
      )
    compared.rows += truth.size
  }
  return compared
}

async function heldRows(
  warehouse: Warehouse,
  account: string,
  { stream, alike }: { stream: Stream; alike: boolean },
): Promise<Map<string, string>> {
  const names = Object.keys(stream.columns)
  const { rows } = await sql<Record<string, unknown>>`
    select ${sql.join(names.map((name) => sql.id(name)))} from ${sql.id('svc', stream.name)}
    where account = ${account} and _deleted_at is null`.execute(warehouse.db)
  return new Map(rows.map((row) => [keyOf(stream, row), normalRow(stream, row, alike)]))
}
