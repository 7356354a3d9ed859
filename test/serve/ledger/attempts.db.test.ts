import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { attemptsInLedger } from '../../../src/serve/ledger/attempts.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { useWarehouse } from '../../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened), { poolSize: 1 })

it('the ledger finds the attempts at a few of 20,000 works, in the order of the works', async () => {
  const works = Array.from({ length: 20_000 }, (_, at) => ({
    account: `account-${Math.floor(at / 10)}`,
    job: `job-${at % 10}`,
    sinceMs: 0,
  }))
  const places = [0, 4_999, 5_000, 12_345, 19_999]
  for (const place of places)
    await sql`
      insert into callsheet.runs (account, job, epoch, state, started_at, finished_at)
      values (${works[place]?.account}, ${works[place]?.job}, 1, 'complete',
        to_timestamp(${place}), to_timestamp(${place} + 1))`.execute(warehouse.db)
  const attempts = await attemptsInLedger(warehouse, works)
  const found = attempts.flatMap((own, at) => own.map(({ startedMs }) => [at, startedMs]))
  expect(found).toEqual(places.map((place) => [place, place * 1000]))
})
