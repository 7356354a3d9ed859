import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { type Caller, oauthCaller } from './caller.ts'
import { SMALL_SIZES } from './sizes.ts'
import { CALLED_AT, coded, rowsOf } from './with-caller.ts'

const SESSIONS = '/whiteboards/sessions'
const week = { from: '2026-06-01T00:00:00Z', to: CALLED_AT }
const INVALID = { status: 400, code: 34002 }

let sandbox: Sandbox
let caller: Caller
beforeAll(async () => {
  sandbox = await startSandbox({
    nowMs: Date.parse(CALLED_AT),
    sizes: { ...SMALL_SIZES, whiteboards: 3_000, activities: 40_000 },
    readings: { narrowing: 'keep-to' },
  })
  caller = await oauthCaller(sandbox)
})
afterAll(() => sandbox.close())

describe('the list of archived sessions', () => {
  it('replaces a future end with now, in the response and on later pages', async () => {
    const query = { from: week.from, to: '2027-01-01T00:00:00Z', page_size: '30' }
    const first = await caller.get(SESSIONS, query)
    expect(first.body).toMatchObject({ from: week.from, to: CALLED_AT, page_size: 30 })
    sandbox.advance(60_000)
    const next_page_token = String(first.body.next_page_token)
    for (const to of [CALLED_AT, query.to]) {
      const second = await caller.get(SESSIONS, { ...query, to, next_page_token })
      expect(second).toMatchObject({ status: 200, body: { to: CALLED_AT } })
    }
    const other = { ...query, to: '2026-06-09T00:00:00Z', next_page_token }
    expect(coded(await caller.get(SESSIONS, other))).toEqual(INVALID)
    sandbox.advance(15 * 60_000)
    expect(coded(await caller.get(SESSIONS, { ...query, next_page_token }))).toEqual(INVALID)
    sandbox.advance(-16 * 60_000)
  })

  it('shows today by default, thirty to a page and three hundred at most', async () => {
    const plain = (await caller.get(SESSIONS)).body
    expect(plain).toMatchObject({ from: '2026-06-10T00:00:00Z', to: CALLED_AT, page_size: 30 })
    const most = (await caller.get(SESSIONS, { ...week, page_size: '301' })).body
    expect(most.page_size).toBe(300)
    expect((most.sessions as unknown[]).length).toBeGreaterThan(30)
  })

  it('narrows a longer range to one month, and says so in the response', async () => {
    const { body } = await caller.get(SESSIONS, { from: '2026-01-01T00:00:00Z', to: CALLED_AT })
    expect(body).toMatchObject({ from: '2026-05-10T09:00:00Z', to: CALLED_AT })
  })
})

describe('an invalid request for a list of boards or sessions', () => {
  it.each(
    [SESSIONS, '/whiteboards'].flatMap((path) => [
      { path, query: { page_size: '0' }, field: 'page_size' },
      { path, query: { page_size: 'all' }, field: 'page_size' },
      { path, query: { next_page_token: '' }, field: 'next_page_token' },
      { path, query: { from: '2026-06-09T00:00:00Z', to: '2026-06-08T00:00:00Z' }, field: 'from' },
      { path, query: { from: 'yesterday' }, field: 'from' },
      { path, query: { to: '2026-06-09' }, field: 'to' },
      { path, query: { trashed: 'true' }, field: 'trashed' },
    ]),
  )(
    'is answered with the name of the invalid field: $path with $query',
    async ({ path, query, field }) => {
      const refused = await caller.get(path, query)
      expect(coded(refused)).toEqual(INVALID)
      expect(refused.body.errors).toMatchObject([{ field }])
    },
  )

  it.each([SESSIONS, '/whiteboards'])('is refused for an invalid page token: %s', async (path) => {
    const refused = await caller.get(path, { next_page_token: 'none' })
    expect(coded(refused)).toEqual(INVALID)
    expect(refused.body.message).toContain('next page token')
  })

  it('is refused for an unknown user, or one who has left the account', async () => {
    const own = await startSandbox({ nowMs: Date.parse(CALLED_AT), sizes: SMALL_SIZES })
    const admin = await oauthCaller(own)
    const { body } = await admin.get('/users', { page_size: '1' })
    const [user] = body.users as { id: string; email: string }[]
    const asked = async (user_id = '') => coded(await admin.get('/whiteboards', { user_id }))
    expect((await asked(user?.id)).status).toBe(200)
    own.mutate({ ops: [{ kind: 'users', action: 'remove', id: user?.id ?? '' }] })
    for (const id of [user?.id, user?.email])
      expect(await asked(id)).toEqual({ status: 400, code: 1010 })
    for (const id of ['nobody', 'nobody@corp.example', 'person.zzz@corp.example'])
      expect(await asked(id)).toEqual({ status: 404, code: 1001 })
    await own.close()
  })
})

describe('the activities of a session', () => {
  it('are those of today by default, or those within the requested range', async () => {
    const counts = new Map<string, number>()
    for (const row of await rowsOf(sandbox, 'whiteboard_activities')) {
      const id = String(row.session_id)
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    const lately = (await caller.drain(SESSIONS, 'sessions', { ...week, page_size: '300' })) as {
      id: string
      start_time: string
    }[]
    const found = lately.find(
      ({ id, start_time: at }) => (counts.get(id) ?? 0) > 8 && at < '2026-06-09',
    )
    const id = found?.id ?? 'none'
    const path = `${SESSIONS}/${encodeURIComponent(id)}`
    const all = (await caller.get(path, { ...week, from: '2026-05-20T00:00:00Z' })).body
    expect(all.total_records).toBe(counts.get(id))
    expect((await caller.get(path)).body).toMatchObject({ total_records: 0, activities: [] })
    expect(all).not.toHaveProperty('from')
    const truth = (await rowsOf(sandbox, 'whiteboard_activities'))
      .filter((row) => row.session_id === id)
      .map((row) => String(row.create_time).slice(0, 19))
      .toSorted()
    const [from, to] = [`${truth[2] ?? ''}Z`, `${truth.at(-3) ?? ''}Z`]
    const between = truth.filter((time) => `${time}Z` >= from && `${time}Z` <= to)
    const some = (await caller.get(path, { from, to })).body
    expect(some.total_records).toBe(between.length)
    expect(between.length).toBeLessThan(truth.length)
    expect(some).not.toHaveProperty('from')
    expect(coded(await caller.get(path, { from: 'then' }))).toEqual(INVALID)
    expect(coded(await caller.get(path, { page_size: '0' }))).toEqual(INVALID)
  })

  it('are answered 404 if the session or file does not exist', async () => {
    const missing = { status: 404, code: 34000 }
    expect(coded(await caller.get(`${SESSIONS}/none`))).toEqual(missing)
    const download = `${SESSIONS}/activity/download/none?signature=1&until=9999999999999`
    expect(coded(await caller.get(download))).toEqual(missing)
  })
})
