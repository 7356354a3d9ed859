import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Observer } from '../../../src/core/define/observer.ts'
import { type Clock, systemClock } from '../../../src/core/time/clock.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { retryDatabase } from '../../../src/warehouse/ledger/retry-database.ts'
import { useWarehouse } from '../../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened), { poolSize: 1 })

test('work that gets no free connection in time is retried, and reported as pool_exhausted', async () => {
  const free = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = warehouse.withClient(async () => {
    held.resolve()
    await free.promise
  })
  await held.promise
  // The pool's own timeout is shortened, so that the test need not wait for it.
  warehouse.pool.options.connectionTimeoutMillis = 20
  const told: object[] = []
  const observer: Observer = { event: (name, fields) => void told.push({ name, ...fields }) }
  const sleep = async () => {
    if (told.length < 2) return
    free.resolve()
    await holding
  }
  const clock: Clock = { ...systemClock, sleep }
  const { rows } = await retryDatabase({ clock, observer }, () =>
    sql`select 1 as one`.execute(warehouse.db),
  )
  expect(rows).toEqual([{ one: 1 }])
  const retried = { name: 'database.retried', code: 'pool_exhausted' }
  expect(told).toEqual([
    { ...retried, tries: 1 },
    { ...retried, tries: 2 },
  ])
})
