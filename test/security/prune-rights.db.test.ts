import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LEAST_KEPT_MONTHS } from '../../src/config/kept-months.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type Cast, castOfRoles } from './ordinary-owner.ts'

let cast: Cast
let writer: Warehouse
beforeAll(async () => {
  cast = await castOfRoles()
  writer = connect({ url: cast.url(cast.writer) })
})
afterAll(async () => {
  await writer.close()
  await cast.close()
})

const keep = (months: number | null) =>
  sql<{ at: string }>`select callsheet.keep_ledger_from('slices', ${months}) as at`

it('the writer cannot prune recent months, even with a false clock', async () => {
  const least = LEAST_KEPT_MONTHS
  for (const months of [least - 1, 0, -1, null])
    await expect(keep(months).execute(writer.db)).rejects.toThrow('for 6 months at least')
  const { rows: honest } = await sql<{ at: string }>`
    select callsheet.oldest_kept(${least}) as at`.execute(cast.owned.db)
  const liar = connect({ url: cast.url(cast.writer), frozenNow: Date.UTC(2099, 0, 1) })
  const { rows } = await keep(least).execute(liar.db)
  expect(rows).toEqual(honest)
  await liar.close()
  // It never goes back, so that what may be gone is not called kept.
  const more = await keep(least + 60).execute(writer.db)
  expect(more.rows).toEqual(honest)
})

it('the writer can drop old months only through the functions, and only of prunable ledgers', async () => {
  const month = 'callsheet.slices_2020_01'
  await sql`create table ${sql.raw(month)} partition of callsheet.slices
    for values from ('2020-01-01') to ('2020-02-01')`.execute(cast.owned.db)
  await expect(sql`drop table ${sql.raw(month)}`.execute(writer.db)).rejects.toMatchObject({
    code: 'database_permission',
  })
  await keep(LEAST_KEPT_MONTHS).execute(writer.db)
  const dropped = () =>
    sql<{ name: string | null }>`select callsheet.drop_old_month() as name`.execute(writer.db)
  expect((await dropped()).rows).toEqual([{ name: 'slices_2020_01' }])
  expect((await dropped()).rows).toEqual([{ name: null }])
  for (const ledger of ['manifest', 'calls', 'incidents', 'runs; drop table svc.users', ''])
    await expect(
      sql`select callsheet.remove_old_rows(${ledger}, 1)`.execute(writer.db),
    ).rejects.toThrow('case not found')
})

it.each([
  "update callsheet.retention set kept_from = 'infinity'",
  "insert into callsheet.retention values ('notifications', 'infinity')",
  "select callsheet.fold_slices('infinity', null)",
  "select * from callsheet.lasting_slices('infinity')",
  'delete from callsheet.batches',
])('the database refuses this statement to the writer: %s', async (statement) => {
  const refused = sql.raw(statement).execute(writer.db)
  await expect(refused).rejects.toMatchObject({ code: 'database_permission' })
})

it.each(['reporter', 'receiver', 'stranger'] as const)(
  'the database role %s cannot remove anything',
  async (role) => {
    const other = connect({ url: cast.url(cast[role]) })
    for (const call of [
      "keep_ledger_from('slices', 6)",
      'drop_old_month()',
      "remove_old_rows('runs', 1)",
    ])
      await expect(sql.raw(`select callsheet.${call}`).execute(other.db)).rejects.toMatchObject({
        code: 'database_permission',
      })
    await other.close()
  },
)
