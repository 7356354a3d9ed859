import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Observer } from '../../src/core/define/observer.ts'
import { type Clock, systemClock } from '../../src/core/time/clock.ts'
import type { Listening } from '../../src/serve/listen.ts'
import { receiveNotification } from '../../src/serve/notifications/receive-notification.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import { type ManualClock, manualClock } from '../helpers/manual-clock.ts'
import { startStallingProxy } from '../helpers/stalling-proxy.ts'
import { opened } from './bare-receiver.ts'
import { NOW_MS, send } from './stage.ts'

/** How many requests the receiver processes at once, and its time limit for storing. */
const MOST = 64
const PROMISED_MS = 2_500

let database: TestDatabase
let direct: Warehouse
beforeAll(async () => {
  database = await testDatabase()
  direct = connect({ url: database.url, poolSize: 2 })
})
afterAll(async () => {
  await direct.close()
  await database.drop()
})
beforeEach(() => sql`truncate callsheet.notifications`.execute(direct.db))

interface Receiver {
  clock: ManualClock
  /** Sends the n-th event, and returns the status. */
  tell(at: number): Promise<number>
  /** The number of notifications stored or failed so far. */
  settled(): number
  close(): Promise<void>
}

/** A receiver with three database connections, whose time limits run on a manual clock. */
async function receiverOver(url: string): Promise<Receiver> {
  const warehouse = connect({ url, frozenNow: NOW_MS, poolSize: 3 })
  const clock = manualClock(NOW_MS)
  let ended = 0
  const observer: Observer = { event: (name) => void (ended += name.startsWith('notif') ? 1 : 0) }
  const hasty: Clock = { ...systemClock, now: () => NOW_MS, sleep: () => Promise.resolve() }
  const receiving = {
    account: 'main',
    accountId: null,
    clientId: null,
    secret: 's',
  }
  const door: Listening = await opened({
    clock,
    observer,
    receive: (bytes) =>
      receiveNotification({ warehouse, clock: hasty, observer }, receiving, bytes),
  })
  return {
    clock,
    tell: async (at) => {
      const body = { event: 'svcroom.created', event_ts: NOW_MS, payload: { object: { id: at } } }
      return (await send(`${door.url}/n/main`, body, { secret: 's' })).status
    },
    settled: () => ended,
    async close() {
      await door.close()
      await warehouse.close()
    },
  }
}

async function stored(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from callsheet.notifications`.execute(direct.db)
  return rows[0]?.count ?? 0
}

/** The number of database sessions that wait for a lock on the table. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_locks
    where not granted and relation = 'callsheet.notifications'::regclass`.execute(direct.db)
  return rows[0]?.count ?? 0
}

/** Sends many events at once, and collects the statuses in the order of the answers. */
function tellAll(receiver: Receiver, count: number) {
  const statuses: number[] = []
  const told = Array.from({ length: count }, async (_, at) => {
    statuses.push(await receiver.tell(at))
  })
  return { statuses, answered: Promise.all(told) }
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status)

describe('a receiver whose database is blocked', () => {
  it('behind a lock answers 503 within the time limit, and at once if it has too many requests', async () => {
    const receiver = await receiverOver(database.url)
    const beyond = 16
    await direct.transaction(async (tx) => {
      await sql`lock table callsheet.notifications in access exclusive mode`.execute(tx)
      const { statuses, answered } = tellAll(receiver, MOST + beyond)
      await expect.poll(waiting).toBe(3)
      await expect.poll(() => statuses.length).toBeGreaterThanOrEqual(beyond)
      await receiver.clock.advance(PROMISED_MS)
      await expect.poll(() => statuses.length).toBe(MOST + beyond)
      await answered
      expect(statuses).toEqual(times(MOST + beyond, 503))
    })
    // Wait until all accepted requests have ended, stored or not; then send all of them again.
    await expect.poll(receiver.settled).toBe(MOST)
    for (let at = 0; at < MOST + beyond; at++) expect(await receiver.tell(at)).toBe(200)
    expect(await stored()).toBe(MOST + beyond)
    await receiver.close()
  })

  it('and never responds answers 503 too, and 200 to all once the database responds', async () => {
    const proxy = await startStallingProxy(database.url)
    const receiver = await receiverOver(proxy.url)
    expect(await receiver.tell(0)).toBe(200)
    proxy.stall()
    const { statuses, answered } = tellAll(receiver, MOST + 1)
    await expect.poll(() => statuses.length).toBeGreaterThan(0)
    await receiver.clock.advance(PROMISED_MS)
    await answered
    expect(statuses).toEqual(times(MOST + 1, 503))
    expect(await stored()).toBe(1)
    proxy.pass()
    await expect.poll(receiver.settled).toBe(1 + MOST)
    for (let at = 0; at <= MOST; at++) expect(await receiver.tell(at)).toBe(200)
    expect(await stored()).toBe(MOST + 1)
    await receiver.close()
    await proxy.close()
  })
})
