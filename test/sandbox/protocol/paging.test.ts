import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts'
import { type Caller, oauthCaller, videoCaller } from '../caller.ts'
import { SMALL_SIZES } from '../sizes.ts'

const MINUTE_MS = 60_000
const past = { type: 'past', from: '2026-05-15', to: '2026-05-28' }
let sandbox: Sandbox
let oauth: Caller
let video: Caller

beforeAll(async () => {
  sandbox = await startSandbox({
    nowMs: Date.parse('2026-06-10T09:00:00Z'),
    sizes: SMALL_SIZES,
    readings: { narrowing: 'keep-to', lastToken: 'empty' },
  })
  oauth = await oauthCaller(sandbox)
  video = videoCaller(sandbox)
})
afterAll(() => sandbox.close())

describe('a page token', () => {
  it('is valid only with the same other parameters', async () => {
    const { body } = await oauth.get('/users', { status: 'active', page_size: '50' })
    const next_page_token = String(body.next_page_token)
    const query = { status: 'active', page_size: '50', next_page_token }
    expect((await oauth.get('/users', query)).status).toBe(200)
    for (const other of [
      { ...query, status: 'inactive' },
      { ...query, page_size: '51' },
    ]) {
      const refused = await oauth.get('/users', other)
      expect(refused).toMatchObject({ status: 400, body: { code: 300 } })
    }
  })

  it.each([
    { list: '/users', code: 300 },
    { list: '/number_management/numbers', code: 1003100 },
    { list: '/whiteboards/sessions', code: 34002 },
  ])('is refused with code $code on $list if it is unknown', async ({ list, code }) => {
    const refused = await oauth.get(list, { next_page_token: 'nonsense' })
    expect(refused).toMatchObject({ status: 400, body: { code } })
  })

  it('is refused if it is empty', async () => {
    const refused = await oauth.get('/users', { next_page_token: '' })
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'next_page_token' }] } })
  })

  it('expires after 15 minutes of the sandbox clock', async () => {
    const own = await startSandbox({ nowMs: 1_780_000_000_000, sizes: { users: 100 } })
    const caller = await oauthCaller(own)
    const { body } = await caller.get('/users')
    const query = { next_page_token: String(body.next_page_token) }
    own.advance(14.9 * MINUTE_MS)
    expect((await caller.get('/users', query)).status).toBe(200)
    own.advance(0.2 * MINUTE_MS)
    expect((await caller.get('/users', query)).body.code).toBe(300)
    await own.close()
  })
})

describe('the lists of the sandbox', () => {
  it.each([
    { list: '/users', items: 'users', maximum: 300, query: {} },
    { list: '/number_management/numbers', items: 'numbers', maximum: 200, query: {} },
    { list: '/videosdk/sessions', items: 'sessions', maximum: 300, query: past },
    { list: '/videosdk/recordings', items: 'sessions', maximum: 300, query: { trash: 'true' } },
    { list: '/whiteboards/sessions', items: 'sessions', maximum: 300, query: {} },
  ])(
    '$list limits a page to $maximum, with 30 as the default',
    async ({ list, items, maximum, query }) => {
      const caller = list.startsWith('/videosdk') ? video : oauth
      const large = await caller.get(list, { ...query, page_size: '1000' })
      expect(large.body.page_size).toBe(maximum)
      expect((large.body[items] as unknown[]).length).toBeLessThanOrEqual(maximum)
      expect((await caller.get(list, query)).body.page_size).toBe(30)
    },
  )

  it('refuse an unknown parameter by name', async () => {
    const refused = await oauth.get('/users', { stauts: 'active' })
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 300, errors: [{ field: 'stauts' }] },
    })
  })

  it('have a total only if it is documented', async () => {
    expect((await video.get('/videosdk/sessions', past)).body).not.toHaveProperty('total_records')
    expect((await oauth.get('/number_management/numbers')).body).not.toHaveProperty('total_records')
    expect((await oauth.get('/users')).body.total_records).toBe(720)
  })

  it('may contain an empty page, and still return every row', async () => {
    const habits = { emptyPages: 0.5 }
    const own = await startSandbox({ nowMs: 1_780_000_000_000, sizes: { users: 2000 }, habits })
    const caller = await oauthCaller(own)
    expect(await caller.drain('/users', 'users', { page_size: '50' })).toHaveLength(1600)
    expect(own.stats().operations['users.list']).toBeGreaterThan(34)
    await own.close()
  })
})

describe('the date ranges of requests', () => {
  it('are today by default, and the list of sessions shows live sessions by default', async () => {
    const recordings = await video.get('/videosdk/recordings')
    expect(recordings.body).toMatchObject({ from: '2026-06-10', to: '2026-06-10' })
    const boards = await oauth.get('/whiteboards/sessions')
    expect(boards.body).toMatchObject({ from: '2026-06-10T00:00:00Z', to: '2026-06-10T09:00:00Z' })
    const { body } = await video.get('/videosdk/sessions', { from: past.from, to: past.to })
    const ends = (body.sessions as { end_time: unknown }[]).map((session) => session.end_time)
    expect(ends.length).toBeGreaterThan(0)
    expect(new Set(ends)).toEqual(new Set([null]))
  })

  it('are limited to a month, and a future end is replaced by today', async () => {
    const query = { type: 'past', from: '2026-04-01', to: '2027-01-01' }
    const { body } = await video.get('/videosdk/sessions', query)
    expect(body).toMatchObject({ from: '2026-05-10', to: '2026-06-10' })
    const later = { ...query, next_page_token: String(body.next_page_token) }
    expect((await video.get('/videosdk/sessions', later)).status).toBe(200)
    const settled = { ...later, from: '2026-05-10', to: '2026-06-10' }
    expect((await video.get('/videosdk/sessions', settled)).status).toBe(200)
  })

  it('of session reports reach at most six months back', async () => {
    const edge = { type: 'past', from: '2025-12-10', to: '2025-12-20' }
    expect((await video.get('/videosdk/sessions', edge)).status).toBe(200)
    const refused = await video.get('/videosdk/sessions', { ...edge, from: '2025-12-09' })
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'from' }] } })
    expect((await video.get('/videosdk/sessions', { type: 'past' })).status).toBe(400)
  })

  it('of archived sessions exclude those that start exactly on the bound', async () => {
    const span = { from: '2026-06-01T00:00:00Z', to: '2026-06-09T00:00:00Z' }
    const all = await oauth.drain('/whiteboards/sessions', 'sessions', span)
    const times = (all as { start_time: string }[])
      .map(({ start_time }) => start_time)
      .filter((time) => /T.*\dZ$/.test(time) && !time.includes('.'))
    const from = times.at(-1) ?? ''
    const fewer = await oauth.drain('/whiteboards/sessions', 'sessions', { ...span, from })
    expect((fewer as { start_time: string }[]).some(({ start_time }) => start_time === from)).toBe(
      false,
    )
    expect(fewer.length).toBeLessThan(all.length)
  })
})

describe('a whiteboard session', () => {
  it('disappears from the list and the detail when it expires', async () => {
    const own = await startSandbox({ nowMs: 1_780_000_000_000, sizes: SMALL_SIZES })
    const caller = await oauthCaller(own)
    const span = { from: '2026-05-20T00:00:00Z', to: '2026-05-28T00:00:00Z', page_size: '300' }
    const { body } = await caller.get('/whiteboards/sessions', span)
    own.advance(31 * 24 * 60 * MINUTE_MS)
    const later = await oauthCaller(own)
    const after = await later.get('/whiteboards/sessions', span)
    expect(after.body.total_records).toBeLessThan(Number(body.total_records))
    const left = new Set((after.body.sessions as { id: string }[]).map(({ id }) => id))
    const expired = (body.sessions as { id: string }[]).find(({ id }) => !left.has(id))?.id ?? ''
    const path = `/whiteboards/sessions/${encodeURIComponent(expired)}`
    expect(await later.get(path)).toMatchObject({ status: 404, body: { code: 34000 } })
    await own.close()
  })
})
