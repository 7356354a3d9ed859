import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addEntries } from '../../src/evidence/add-entries.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened), { poolSize: 6 })

test('jobs that log files in parallel take turns, and the chain does not fork', async () => {
  const facts = (job: number, turn: number) =>
    ['a', 'b', 'c'].map((item) => ({
      kind: 'file' as const,
      subject: `whiteboard_activities/${job}-${turn}/${item}`,
      size: 1,
      content: createHash('sha256').update(item).digest(),
    }))
  const jobs = [1, 2, 3, 4, 5].map(async (job) => {
    for (const turn of [1, 2, 3, 4])
      await warehouse.transaction((tx) => addEntries(tx, 'main', facts(job, turn)))
  })
  await Promise.all([
    ...jobs,
    // Another account does not wait for this account's jobs, and its entries begin at 1.
    warehouse.transaction((tx) => addEntries(tx, 'other', facts(0, 0))),
  ])
  const { rows } = await sql<{ account: string; entries: number; last: number; broken: number }>`
    select account, count(*)::int as entries, max(seq)::int as last,
      count(*) filter (where seq > 1 and line::jsonb ->> 'prev' <> before)::int as broken
    from (select *, lag(encode(sha256(convert_to(line, 'UTF8')), 'hex')) over (
        partition by account order by seq) as before
      from callsheet.manifest) m
    group by account order by account`.execute(warehouse.db)
  expect(rows).toEqual([
    { account: 'main', entries: 60, last: 60, broken: 0 },
    { account: 'other', entries: 3, last: 3, broken: 0 },
  ])
})
