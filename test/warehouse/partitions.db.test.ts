import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { ensureMonthPartitions } from '../../src/warehouse/partitions.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'

let database: TestDatabase
let warehouse: Warehouse
beforeAll(async () => {
  database = await testDatabase()
  warehouse = at(Date.UTC(2026, 11, 31, 23, 59))
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})

describe('the month partitions', () => {
  it('are created once for this and the next month, also across the end of a year', async () => {
    await Promise.all([ensureMonthPartitions(warehouse), ensureMonthPartitions(warehouse)])
    const names = await partitionsOf('callsheet.quota')
    expect(names).toEqual(['quota_2026_12', 'quota_2027_01', 'quota_default'])
    expect(await partitionsOf('history.users')).toContain('users_2027_01')
    expect(await partitionsOf('callsheet.slices')).toContain('slices_2026_12')
    await ensureMonthPartitions(warehouse)
    expect(await partitionsOf('callsheet.quota')).toEqual(names)
  })

  it('receive the rows written before they existed, and new rows', async () => {
    await spend('2027-01-31', 1)
    await spend('2027-02-01', 2)
    expect(await rowsOf('quota_2027_01')).toEqual([1])
    expect(await rowsOf('quota_default')).toEqual([2])
    const later = at(Date.UTC(2027, 0, 15))
    await ensureMonthPartitions(later)
    await later.close()
    expect(await rowsOf('quota_default')).toEqual([])
    expect(await rowsOf('quota_2027_02')).toEqual([2])
    await expect(spend('2027-02-01', 3)).rejects.toThrow('the data was refused')
  })

  it('are postponed for a table that is being read, but created for other tables', async () => {
    const later = at(Date.UTC(2027, 1, 15))
    const reader = at(Date.UTC(2027, 1, 15))
    await spend('2027-03-01', 4)
    await reader.transaction(async (tx) => {
      await sql`select from callsheet.quota_default`.execute(tx)
      expect(await ensureMonthPartitions(later)).toEqual(['callsheet.quota'])
      expect(await partitionsOf('history.users')).toContain('users_2027_03')
      expect(await rowsOf('quota_default')).toEqual([4])
    })
    expect(await ensureMonthPartitions(later)).toEqual([])
    expect(await rowsOf('quota_2027_03')).toEqual([4])
    await reader.close()
    await later.close()
  })
})

const at = (frozenNow: number): Warehouse => connect({ url: database.url, frozenNow })

const spend = (day: string, spent: number) =>
  warehouse.db
    .insertInto('callsheet.quota')
    .values({ account: 'a', pool: 'p', day, spent })
    .execute()

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_inherits
    join pg_class on oid = inhrelid where inhparent = ${table}::regclass
    order by relname collate "C"`.execute(warehouse.db)
  return rows.map(({ name }) => name)
}

async function rowsOf(table: string): Promise<number[]> {
  const { rows } = await sql<{ spent: number }>`
    select spent from ${sql.id('callsheet', table)} order by 1`.execute(warehouse.db)
  return rows.map(({ spent }) => spent)
}
