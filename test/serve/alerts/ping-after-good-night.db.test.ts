import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Config } from '../../../src/config/schema.ts'
import { Secret } from '../../../src/config/secret.ts'
import { openPing } from '../../../src/serve/alerts/open-channels.ts'
import {
  type PingDeps,
  pingAfterGoodNight,
} from '../../../src/serve/alerts/ping-after-good-night.ts'
import { openAlerts } from '../../../src/serve/ledger/alerts.ts'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { type TestDatabase, testDatabase } from '../../helpers/database.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { causeOf } from './causes.ts'
import { startHookServer } from './hook-server.ts'

const WORKS = [
  { account: 'main', job: 'users', schedule: '0 1 * * *', timezone: 'UTC' },
  { account: 'main', job: 'details', schedule: '0 4 * * *', timezone: 'UTC' },
  { account: 'main', job: 'archives', schedule: '0 */6 * * *', timezone: 'UTC' },
]
const WEEKLY = { account: 'main', job: 'weekly', schedule: '0 2 * * 0', timezone: 'UTC' }
const LATE = { account: 'main', job: 'late', schedule: '0 7 * * *', timezone: 'UTC' }

let database: TestDatabase
let warehouse: Warehouse
let hook: Awaited<ReturnType<typeof startHookServer>>
let events: string[]
beforeEach(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url })
  hook = await startHookServer()
  events = []
})
afterEach(async () => {
  await hook.close()
  await warehouse.close()
  await database.drop()
})

const switchAt = (url: string) => ({ alerts: { ping: new Secret(url) } }) as unknown as Config

function depsAt(at: string, own = warehouse): PingDeps {
  const clock = manualClock(Date.parse(at))
  return {
    warehouse: own,
    clock,
    observer: { event: (name) => void events.push(name) },
    ping: async (signal) => await openPing(switchAt(`${hook.url}/secret`), { clock })?.(signal),
  }
}

/** Of the day 2026-07-01, a Wednesday, if no other is given. */
const pingAt = (
  time: string,
  works = [...WORKS, WEEKLY],
  causes = [] as ReturnType<typeof causeOf>[],
) =>
  pingAfterGoodNight(depsAt(time.includes('T') ? time : `2026-07-01T${time}:00Z`), {
    works,
    causes,
  })

async function ran(job: string, at: string, state: 'complete' | 'failed' = 'complete') {
  const started = at.includes('T') ? at : `2026-07-01T${at}:00Z`
  await warehouse.db
    .insertInto('callsheet.runs')
    .values({ account: 'main', job, epoch: 1, state, started_at: started, finished_at: started })
    .execute()
}

it('is sent once a day, when all that was due is done', async () => {
  await ran('archives', '00:01')
  expect(await pingAt('00:05')).toBe('not_yet')
  await ran('users', '01:01')
  expect(await pingAt('01:05')).toBe('not_yet')
  await ran('details', '04:00', 'failed')
  expect(await pingAt('04:05')).toBe('not_yet')
  await ran('details', '04:10')
  expect(await pingAt('04:15', [...WORKS, LATE])).toBe('not_yet')
  expect(hook.taken).toEqual([])
  expect(await pingAt('04:15')).toBe('sent')
  expect(await pingAt('06:10')).toBe('already')
  expect(await pingAt('12:10')).toBe('already')
  expect(hook.taken).toHaveLength(1)
  expect(events).toEqual(['ping sent'])
})

it('waits the next day for what becomes due that day, and not for a job of another day', async () => {
  for (const job of ['users', 'details', 'archives']) await ran(job, '04:00')
  expect(await pingAt('04:30')).toBe('sent')
  const night = ['18:00', '12:00'].map((time) => `2026-07-01T${time}:00Z`)
  for (const time of night) await ran('archives', time)
  await ran('archives', '2026-07-02T00:01:00Z')
  expect(await pingAt('2026-07-02T00:05:00Z')).toBe('not_yet')
  await ran('users', '2026-07-02T01:00:00Z')
  await ran('details', '2026-07-02T04:00:00Z')
  expect(await pingAt('2026-07-02T04:20:00Z')).toBe('sent')
})

it('is not sent while a red cause is open, nor when nothing is due', async () => {
  for (const job of ['users', 'details', 'archives']) await ran(job, '04:00')
  expect(await pingAt('04:30', WORKS, [causeOf('users')])).toBe('red')
  expect(await pingAt('04:30', [])).toBe('not_yet')
  expect(await pingAt('04:30', [WEEKLY])).toBe('not_yet')
  expect(hook.taken).toEqual([])
  expect(await pingAt('04:30', WORKS, [causeOf('users', { level: 'amber' })])).toBe('sent')
})

it('is tried again if it fails', async () => {
  for (const job of ['users', 'details', 'archives']) await ran(job, '04:00')
  hook.state.answer = 500
  expect(await pingAt('04:30')).toBe('failed')
  expect(events).toEqual(['ping failed'])
  expect(await openAlerts(warehouse.db, 9)).toMatchObject([
    { channel: 'ping', attempts: 1, lastError: 'delivery_refused' },
  ])
  hook.state.answer = 200
  expect(await pingAt('04:31')).toBe('sent')
  expect(await openAlerts(warehouse.db, 9)).toEqual([])
})

it('is sent once by two processes at once', async () => {
  for (const job of ['users', 'details', 'archives']) await ran(job, '04:00')
  const other = connect({ url: database.url })
  const outcomes = await Promise.all(
    [warehouse, other].map((own) =>
      pingAfterGoodNight(depsAt('2026-07-01T04:30:00Z', own), { works: WORKS, causes: [] }),
    ),
  )
  await other.close()
  expect(outcomes.toSorted()).toEqual(['already', 'sent'])
  expect(hook.taken).toHaveLength(1)
})
