import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Observer } from '../../src/core/define/observer.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { eraseDue } from '../../src/serve/work/run-job.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { busiest, erase, type Person, tablesWith, tell } from './stage.ts'

let world: World
let person: Person
let other: Person
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
  await world.sync()
  ;({ author: person, holder: other } = await busiest(world.warehouse))
})
afterAll(() => world.close())

const NOW_MS = Date.parse(WORLD_NOW)
const checkedIn = (email: string, at: number) => ({
  event: 'visitor.checked_in',
  event_ts: at,
  payload: { account_id: 'acct-1', object: { invitation_id: 'inv-1', host: { email } } },
})
const removed = (userId: string) => ({
  event: 'app_deauthorized',
  event_ts: NOW_MS,
  payload: { user_id: userId, deauthorization_time: '2026-07-08T02:00:00.000Z' },
})
const kept = async () =>
  (
    await sql<{ state: string; bytes: number; subjects: string[] }>`
      select state, length(body)::int as bytes, subjects from callsheet.notifications
      order by id`.execute(world.warehouse.db)
  ).rows

describe('notifications about an erased person', () => {
  it('stay without the person’s data, and notifications about others stay unchanged', async () => {
    await tell(world, checkedIn(person.email.toUpperCase(), NOW_MS))
    await tell(world, checkedIn(other.email, NOW_MS))
    const [, before] = await kept()
    const [done] = await erase(world, { persons: [person.id] })
    expect(done?.outcome.ledgers.notifications).toBe(1)
    expect(await kept()).toEqual([{ state: 'erased', bytes: 0, subjects: [] }, before])
    expect(await tablesWith(world.warehouse, [person.id, person.email])).toEqual([])
  })

  it('are not stored twice if repeated, and are stored empty if they arrive later', async () => {
    expect(await tell(world, checkedIn(person.email.toUpperCase(), NOW_MS))).toBe('repeated')
    expect(await tell(world, checkedIn(person.email, NOW_MS + 1_000))).toBe('stored')
    expect((await kept()).at(-1)).toEqual({ state: 'erased', bytes: 0, subjects: [] })
    expect(await tell(world, checkedIn(other.email, NOW_MS + 1_000))).toBe('stored')
    expect((await kept()).at(-1)).toMatchObject({ subjects: expect.any(Array) as unknown })
    expect(await tablesWith(world.warehouse, [person.email])).toEqual([])
    expect(await tablesWith(world.warehouse, [other.email])).toContain('callsheet.notifications')
  })
})

describe('a user who removes the app', () => {
  it('is erased by the schedule before its next job, and reported only as a number', async () => {
    await tell(world, removed(other.id))
    const said: unknown[] = []
    const observer: Observer = { event: (name, fields) => void said.push({ name, ...fields }) }
    const { config } = loadConfig({ path: world.place.configFile, jobs, environment: {} })
    const { warehouse } = world
    const wiring = { config, clock: systemClock, observer }
    const opened = { wiring, warehouse, embedded: false, close: () => Promise.resolve() }
    const { signal } = new AbortController()
    await eraseDue(opened, { account: 'account-0', signal })
    expect(said).toContainEqual({
      name: 'person erased',
      account: 'account-0',
      request: 2,
      left: 0,
      level: 'info',
    })
    expect(await tablesWith(world.warehouse, [other.id, other.email])).toEqual([])
    said.length = 0
    await eraseDue(opened, { account: 'account-0', signal })
    expect(said).toEqual([])
  })

  it('is not erased a second time because of a repeated notification', async () => {
    expect(await tell(world, removed(other.id))).toBe('repeated')
    expect(await erase(world)).toEqual([])
  })
})
