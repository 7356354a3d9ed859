import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { users } from '../../src/resources/users.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { openWorkbench } from './workbench.ts'

test('migrate creates all month partitions, and comments tables', async () => {
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
  const { rows } = await sql<{ about: string }>`
    select obj_description('svc.users'::regclass) as about`.execute(warehouse.db)
  expect(rows[0]?.about).toBe(users.about)
  await warehouse.close()
  await bench.close()
})
