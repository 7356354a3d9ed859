import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { connect } from '../../src/warehouse/connection/connect.ts'
import { openWorkbench } from './workbench.ts'

test('migrate leaves no month partition for the first sync to make', async () => {
  const bench = await openWorkbench()
  const warehouse = connect({ url: bench.databaseUrl, poolSize: 1 })
  const missing = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from callsheet.missing_partitions()`.execute(warehouse.db)
    return rows[0]?.count ?? -1
  }
  expect(await missing()).toBeGreaterThan(10)
  const { code, stdout } = await bench.run('migrate')
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' })
  expect(await missing()).toBe(0)
  await warehouse.close()
  await bench.close()
})
