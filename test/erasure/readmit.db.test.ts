import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { placeHold } from '../../src/archive/sql/holds.ts'
import { BusyError } from '../../src/core/errors.ts'
import { type Suppression, suppressionOf } from '../../src/core/persons/suppression.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { readSuppressions } from '../../src/warehouse/keep-out/suppressions.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { addUser } from './add-user.ts'
import { erase, readmit as readmitAs, tell } from './stage.ts'

const account = 'account-0'
const NAME = 'Mia Muster'
const MIA = { id: 'Usr_Mia-0001', email: 'mia@example.com', display_name: NAME }
const NAMESAKE = { id: 'Usr_Mia-0002', email: 'other.mia@example.com', display_name: NAME }

let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
})
afterAll(() => world.close())
beforeEach(async () => {
  const { db } = world.warehouse
  for (const table of ['erasure_requests', 'suppressions', 'notifications'])
    await sql`delete from ${sql.id('callsheet', table)}`.execute(db)
  await sql`delete from svc.users`.execute(db)
})

const users = async (): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`select id from svc.users order by id`.execute(
    world.warehouse.db,
  )
  return rows.map(({ id }) => id)
}

const requests = async () => {
  const { rows } = await sql<{ state: string; named: boolean }>`
    select state, identities is not null or subject ~ '@|Usr_' as named
    from callsheet.erasure_requests order by id`.execute(world.warehouse.db)
  return rows.map(({ state, named }) => (named ? `${state}, named` : state))
}

const readmit = (...texts: string[]) => readmitAs(world, ...texts)

const suppression = async (): Promise<Suppression> =>
  suppressionOf(await readSuppressions(world.warehouse.db, account))

it('a readmitted person is not erased by an open request', async () => {
  await placeHold(world.warehouse, {
    account,
    name: 'case-3',
    reason: `about ${MIA.email}`,
    placedBy: 'a test',
  })
  await addUser(world, MIA)
  const [kept] = await erase(world, { persons: [MIA.id] })
  expect(kept?.outcome.leftBehind).toEqual({ 'callsheet.holds': 1 })
  expect(await requests()).toEqual(['kept, named'])
  expect(await readmit(MIA.email)).toEqual({ closed: 1, taken: 3 })
  expect(await requests()).toEqual(['readmitted'])
  await addUser(world, MIA)
  expect(await erase(world)).toEqual([])
  expect(await users()).toEqual([MIA.id])
  expect((await suppression()).empty).toBe(true)
  await sql`update callsheet.holds set reason = 'of the court'`.execute(world.warehouse.db)
})

it('a readmitted person is not erased by a waiting request, and may request a new one', async () => {
  await addUser(world, MIA)
  const remove = async (at: number) =>
    await tell(world, {
      event: 'app_deauthorized',
      event_ts: Date.parse(WORLD_NOW) + at,
      payload: { user_id: MIA.id },
    })
  await remove(0)
  expect(await readmit(MIA.id)).toEqual({ closed: 1, taken: 0 })
  expect(await erase(world)).toEqual([])
  expect(await users()).toEqual([MIA.id])
  await remove(1_000)
  expect(await erase(world)).toHaveLength(1)
  expect(await users()).toEqual([])
  expect(await requests()).toEqual(['readmitted', 'done'])
})

it.each([
  { first: NAMESAKE, second: MIA, between: 'everywhere' },
  { first: MIA, second: NAMESAKE, between: 'beside' },
])(
  'a shared name stays suppressed until both people are readmitted (in between: $between)',
  async (one) => {
    const { first, second, between } = one
    await addUser(world, MIA)
    await addUser(world, NAMESAKE)
    await erase(world, { persons: [NAMESAKE.id] })
    await erase(world, { persons: [MIA.id], byName: true })
    expect((await suppression()).nameCounts(NAME)).toBe('everywhere')
    expect(await readmit(first.id)).toEqual({ closed: 0, taken: 2 })
    const left = await suppression()
    expect([first.id, first.email].filter((text) => left.isPerson(text))).toEqual([])
    expect([second.id, second.email].filter((text) => !left.isPerson(text))).toEqual([])
    expect(left.nameCounts(NAME)).toBe(between)
    expect(await readmit(second.id)).toEqual({ closed: 0, taken: 3 })
    expect((await suppression()).empty).toBe(true)
  },
)

it('readmitting a person includes the identities that a second request found', async () => {
  await addUser(world, MIA)
  await erase(world, { persons: [MIA.id] })
  await addUser(world, { ...MIA, email: 'mia.new@example.com' })
  await erase(world, { persons: [MIA.id] })
  expect((await suppression()).isPerson('mia.new@example.com')).toBe(true)
  expect(await readmit(MIA.id)).toEqual({ closed: 0, taken: 4 })
  expect((await suppression()).empty).toBe(true)
  expect(await readmit(MIA.id)).toEqual({ closed: 0, taken: 0 })
})

it('a readmission fails at once while another process works on the account', async () => {
  const lease = await acquireLease(world.warehouse, { account, job: 'erase', clock: systemClock })
  await expect(readmit(MIA.id)).rejects.toThrow(BusyError)
  await lease.release()
})
