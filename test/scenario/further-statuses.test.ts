import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import users from '../../jobs/users.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
})
afterEach(() => world.close())

const FURTHER = ['suspended', 'expired', 'locked'].map((status, at) => ({
  id: `further-${at}`,
  email: `further-${at}@example.com`,
  type: 1,
  status,
}))

interface Shown {
  rows?: object[]
  total?: unknown
  /** The list has page numbers, and its total counts the records of the page. */
  numbered?: boolean
  refused?: (asked: URLSearchParams) => boolean
}

/** Sets the response of the list without a status; the service's other lists do not agree with it. */
function shows({ rows = FURTHER, total = 60 + rows.length, ...more }: Shown): void {
  const { numbered = false, refused = () => false } = more
  world.ways.tell = (asked, told) => {
    if (!asked.path.endsWith('/users') || asked.query.has('status')) return
    lists.push(asked.query.get('page_size') ?? '')
    if (refused(asked.query)) {
      told.status = 400
      told.body = { code: 300, message: 'No.' }
      return
    }
    const own = (told.body as { users: object[] }).users
    const all = [...rows, ...own, ...others]
    const short = Number(asked.query.get('page_size')) < all.length
    const page = short ? all.slice(0, 1) : all
    if (numbered) {
      const page_count = Math.ceil(all.length / page.length)
      told.body = { users: page, page_count, page_number: 1, total_records: page.length }
      return
    }
    told.body = {
      users: page,
      next_page_token: short ? 'more' : '',
      ...(total === undefined ? {} : { total_records: total }),
    }
  }
}

/** The inactive and pending users, as their own lists show them. */
let others: object[] = []
let lists: string[] = []

beforeEach(async () => {
  others = []
  lists = []
  world.ways.tell = (asked, { body }) => {
    const status = asked.query.get('status')
    if (status === 'inactive' || status === 'pending')
      others.push(...(body as { users: object[] }).users)
  }
  await sync()
  delete world.ways.tell
})

test('users of undocumented statuses are read if pages are numbered and totals count one page', async () => {
  shows({ numbered: true })
  expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
  expect(await further()).toEqual(['expired', 'locked', 'suspended'])
})

test('users of undocumented statuses are read from the list without a status', async () => {
  shows({})
  for (let run = 0; run < 2; run++) {
    expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
    expect(await further()).toEqual(['expired', 'locked', 'suspended'])
    expect(await held()).toBe(63)
  }
  expect(lists).toEqual(['1', '300', '1', '300'])
  shows({ rows: FURTHER.slice(0, 2) })
  expect(await sync()).toMatchObject({ state: 'complete', tables: { users: { deleted: 1 } } })
})

test('the list without a status takes one call if its total is not above that of the others', async () => {
  for (const total of [60, 48]) {
    shows({ rows: [], total })
    expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
  }
  expect(lists).toEqual(['1', '1'])
  expect(await held()).toBe(60)
})

test.each([undefined, 1])(
  'without a usable total (%j), the list of all users is read too',
  async (total) => {
    shows({ total })
    expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
    expect(await held()).toBe(63)
  },
)

test.each([-1, 'many'])('a total of %j leaves the run incomplete', async (total) => {
  shows({ total })
  const run = await sync()
  expect(run.state).toBe('incomplete')
  expect(run.problems.join()).toMatch(/users any status: .*total_records.*not a valid count/)
})

test('an unusable record of another list does not hide a user that only the full list shows', async () => {
  shows({ rows: FURTHER.slice(0, 1) })
  const bare = world.ways.tell
  world.ways.tell = (asked, told) => {
    if (asked.query.get('status') === 'active') (told.body as { users: unknown[] }).users.push(null)
    return bare?.(asked, told)
  }
  await sync()
  expect(await further()).toEqual(['suspended'])
})

test('a total larger than the number of listed users is reported, and the run is incomplete', async () => {
  shows({ total: 70 })
  const told = await sync()
  expect(told.state).toBe('incomplete')
  expect(told.problems.join('\n')).toMatch(/users any status: .*70 records/)
})

test('the list without a status is read in full pages if a page of one record is refused', async () => {
  shows({ refused: (query) => query.get('page_size') === '1' })
  expect(await sync()).toMatchObject({ state: 'complete', problems: [] })
  expect(await held()).toBe(63)
  shows({ rows: [], total: 60 })
  await sync()
  shows({ refused: () => true })
  const told = await sync()
  expect(told).toMatchObject({ state: 'complete' })
  expect(told.problems.join('\n')).toContain('the service refuses this list')
})

async function sync(): Promise<RunResult> {
  const [result] = await world.sync({ jobs: [users] })
  if (result === undefined) throw new Error('No run')
  return result
}

async function further(): Promise<string[]> {
  const { rows } = await sql<{ status: string }>`select status from svc.users
    where id like 'further%' and _deleted_at is null order by status`.execute(world.warehouse.db)
  return rows.map(({ status }) => status)
}

async function held(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from svc.users
    where _deleted_at is null`.execute(world.warehouse.db)
  return rows[0]?.n ?? 0
}
