import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { installQueue, openQueue, PACE, type Queue } from '../../../src/serve/queue/queue.ts'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { grantRoles, QUEUE_SCHEMA } from '../../../src/warehouse/roles.ts'
import { testDatabase, useWarehouse } from '../../helpers/database.ts'
import { type Cast, castOfRoles } from '../../security/ordinary-owner.ts'
import { queueHere } from './queue-here.ts'

let warehouse: Warehouse
useWarehouse((one) => (warehouse = one), { poolSize: 10 })

const SETTINGS = { pollSeconds: 0.5, heartbeatSeconds: 10 }
const open = (from: Warehouse = warehouse): Promise<Queue> =>
  openQueue({ warehouse: from, observer: silentObserver }, SETTINGS)
const offers = (...places: string[]) => places.map((place) => ({ place, priority: 0 }))

describe('the queue', () => {
  it('gives each task to one machine, however often it is offered', async () => {
    const machines = [await open(), await open()]
    const places = ['a', 'b', 'c', 'd']
    for (const machine of machines) await machine.offer(offers(...places, ...places))
    const visits: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const [name, machine] of machines.entries())
      await machine.take(2, async (place) => {
        visits.push(place)
        // While one machine works at a place, no other gets it.
        await machines[1 - name]?.offer(offers(place))
        if (visits.length === places.length) resolve()
      })
    await promise
    await Promise.all(machines.map((machine) => machine.close()))
    expect(visits.toSorted()).toEqual(places)
    expect(await waiting()).toBe(0)
  })

  it('reports a failure of all its polls once, with its code', async () => {
    const events: object[] = []
    const observer = {
      event: (name: string, fields: object) => void events.push({ name, ...fields }),
    }
    const queue = await openQueue({ warehouse, observer }, SETTINGS)
    await queue.take(3, async () => {})
    const schema = sql.id(QUEUE_SCHEMA)
    await sql`alter schema ${schema} rename to away`.execute(warehouse.db)
    await expect.poll(() => events.length, { timeout: 5_000 }).toBeGreaterThan(0)
    await systemClock.sleep(2_000)
    await sql`alter schema away rename to ${schema}`.execute(warehouse.db)
    await queue.close()
    expect(events).toEqual([{ name: 'queue warning', code: 'sql_42P01', level: 'warn' }])
  }, 20_000)

  it('starts offered tasks at once in the free slots of the offering machine', async () => {
    const queue = await openQueue(
      { warehouse, observer: silentObserver },
      { ...PACE, pollSeconds: 50 },
    )
    const visits: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    await queue.take(2, async (place) => {
      visits.push(place)
      if (visits.length === 4) resolve()
      await Promise.resolve()
    })
    // By then the polls have found nothing; the next ones would come after this test's time limit.
    await systemClock.sleep(1_000)
    await queue.offer(offers('a', 'b'))
    await expect.poll(() => visits.length).toBe(2)
    await queue.offer(offers('c', 'd'))
    await promise
    await queue.close()
    expect(visits.toSorted()).toEqual(['a', 'b', 'c', 'd'])
  }, 20_000)

  it('gives a task to another worker if its heartbeat stops, and aborts it on the first', async () => {
    const queue = await open()
    await queue.offer(offers('silent'))
    let visits = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    await queue.take(2, async (_place, lost) => {
      if (++visits === 2) return resolve()
      // Simulates another machine, which does this if the heartbeat is too old.
      await sql`update callsheet_queue.job_common set state = 'retry', started_on = now()
        where state = 'active'`.execute(warehouse.db)
      await new Promise<void>((ended) => lost.addEventListener('abort', () => ended()))
    })
    await promise
    await queue.close()
    expect(visits).toBe(2)
  }, 60_000)

  it('does not store the error text of a failed task', async () => {
    const queue = await open()
    await queue.offer(offers('failing'))
    const { promise, resolve } = Promise.withResolvers<void>()
    await queue.take(1, async () => {
      resolve()
      throw new Error('words-canary')
    })
    await promise
    await queue.close()
    const { rows } = await sql<{ said: string }>`
      select j::text as said from callsheet_queue.job j where singleton_key = 'failing'`.execute(
      warehouse.db,
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.said).toContain('unexpected')
    expect(rows[0]?.said).not.toContain('canary')
    await sql`delete from callsheet_queue.job where singleton_key = 'failing'`.execute(warehouse.db)
  })
})

it.each([
  ['the queue', () => open()],
  ['the queue in virtual time', queueHere],
])('%s gives each task once, the more urgent ones first', async (_which, opened) => {
  const queue = await opened()
  await queue.offer([
    { place: 'later', priority: -2 },
    { place: 'soon', priority: 0 },
  ])
  await queue.offer([{ place: 'later', priority: 0 }])
  const visits: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  await queue.take(1, async (place) => {
    visits.push(place)
    await queue.offer([{ place, priority: 0 }])
    if (visits.length === 2) resolve()
  })
  await promise
  await queue.close()
  expect(visits).toEqual(['soon', 'later'])
})

describe('with a backend, the queue', () => {
  // pg-boss partitions its table except for a backend without partitions.
  it.each([
    ['postgres', 'p'],
    ['citus', 'p'],
    ['cockroachdb', 'r'],
  ] as const)('has the tables that pg-boss makes for %s, and works', async (backend, kind) => {
    const database = await testDatabase()
    const own = connect({ url: database.url })
    const deps = { warehouse: own, observer: silentObserver, backend }
    try {
      await installQueue(deps)
      const { rows } = await sql<{ relkind: string }>`
        select relkind from pg_class where oid = to_regclass(${`${QUEUE_SCHEMA}.job`})`.execute(
        own.db,
      )
      expect(rows).toEqual([{ relkind: kind }])
      const queue = await openQueue(deps, SETTINGS)
      await queue.offer(offers('a', 'b', 'a'))
      const visits: string[] = []
      await queue.take(2, async (place) => {
        visits.push(place)
        await Promise.resolve()
      })
      await expect.poll(() => visits.toSorted(), { timeout: 5_000 }).toEqual(['a', 'b'])
      await queue.close()
    } finally {
      await own.close()
      await database.drop()
    }
  })
})

describe('a role that owns no table', () => {
  let cast: Cast
  beforeAll(async () => {
    cast = await castOfRoles()
  })
  afterAll(() => cast.close())

  it('can use the queue that migrate created, and gets the error queue_missing before that', async () => {
    const writer = connect({ url: cast.url(cast.writer) })
    try {
      await expect(open(writer)).rejects.toMatchObject({ code: 'queue_missing' })
      await installQueue({ warehouse: cast.owned, observer: silentObserver })
      await grantRoles(cast.owned, { writer: cast.writer, reporter: cast.reporter })
      const seen: string[] = []
      const deps = {
        warehouse: writer,
        observer: {
          event: (name: string, { code }: { code?: unknown }) =>
            seen.push(`${name} ${String(code)}`),
        },
      }
      const queue = await openQueue(deps, SETTINGS)
      await queue.offer(offers('a'))
      await new Promise<void>((resolve) => {
        void queue.take(1, async () => {
          resolve()
          await Promise.resolve()
        })
      })
      await queue.close()
      expect(seen).toEqual([])
      for (const role of [cast.reporter, cast.receiver, cast.eraser, cast.stranger]) {
        const { rows } = await sql<{ may: boolean }>`
          select has_schema_privilege(${role}, 'callsheet_queue', 'usage') as may`.execute(
          cast.owned.db,
        )
        expect(rows).toEqual([{ may: false }])
      }
    } finally {
      await writer.close()
    }
  })
})

/** The number of messages that have neither completed nor failed. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from callsheet_queue.job where state < 'completed'`.execute(
    warehouse.db,
  )
  return rows[0]?.count ?? -1
}
