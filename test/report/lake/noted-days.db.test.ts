import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { streams } from '../../../src/account/catalog.ts'
import { dayColumnOf } from '../../../src/report/lake/changed-days.ts'
import { connect } from '../../../src/warehouse/connect.ts'
import { testDatabase } from '../../helpers/database.ts'

it('the database notes the day of a row by the column that divides the lake into days', async () => {
  const database = await testDatabase()
  const warehouse = connect({ url: database.url })
  const { rows } = await sql<{ table: string; column: string }>`
    select tgrelid::regclass::text as table, substring(proname from 'note_rows_by_(.*)') as column
    from pg_trigger join pg_proc p on p.oid = tgfoid where tgname like 'note_%'`.execute(
    warehouse.db,
  )
  const expected = streams.flatMap((stream) =>
    ['svc', 'history'].flatMap((where) =>
      [1, 2, 3].map(() => ({ table: `${where}.${stream.name}`, column: dayColumnOf(stream) })),
    ),
  )
  const byTable = (a: { table?: string }, b: { table?: string }) =>
    (a.table ?? '') < (b.table ?? '') ? -1 : 1
  expect(rows.toSorted(byTable)).toEqual(expected.toSorted(byTable))
  await warehouse.close()
  await database.drop()
})
