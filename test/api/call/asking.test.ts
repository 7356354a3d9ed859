import { afterEach, describe, expect, it } from 'vitest'
import type { CallArguments, Operation } from '../../../src/core/define/operation.ts'
import type { CallsheetError } from '../../../src/core/errors.ts'
import { listSessionReports } from '../../../src/resources/session-reports.ts'
import { listUsers } from '../../../src/resources/users.ts'
import { getWhiteboardSession } from '../../../src/resources/whiteboard-archives.ts'
import { clientUnderTest, readPage } from '../client-under-test.ts'
import { type Answer, faultServer, send } from '../fault-server.ts'
import { memoryFound } from '../memory-stores.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A service that refuses a query if `refuses` returns a message, and quotes it if `worded`. */
async function service(
  refuses: (query: URLSearchParams) => string | undefined,
  worded = true,
  { empty = 0, date = 'Mon, 04 May 2026 10:00:00 GMT' } = {},
) {
  const answer: Answer = (request, response) => {
    const query = new URL(request.url ?? '/', 'http://localhost').searchParams
    const refused = refuses(query)
    const body =
      refused === undefined
        ? { users: [], activities: [ACTIVITY].slice(empty), sessions: [], next_page_token: '' }
        : { code: 300, message: worded ? `Validation failed: ${refused}` : 'Bad request.' }
    send(refused === undefined ? 200 : 400, body, { date })(request, response)
  }
  const server = await faultServer(answer)
  closers.push(server.close)
  const found = memoryFound()
  const open = () => {
    const tested = clientUnderTest(server.url, { found })
    closers.push(tested.close)
    return (operation: Operation = listUsers, args: CallArguments = {}) =>
      readPage(
        tested.client.fetchPage(operation, args).catch((error: unknown) => error as CallsheetError),
      )
  }
  const sent = () =>
    server.requests.splice(0).map(({ path }) => {
      const query = new URL(path, 'http://localhost').searchParams
      return ['page_size', 'from', 'to'].flatMap((name) => query.get(name) ?? []).join(' ')
    })
  return { fetch: open(), open, found: found.kept, sent }
}

const ACTIVITY = { id: 'activity-1' }

const tooLarge = (most: number) => (query: URLSearchParams) =>
  Number(query.get('page_size')) > most ? `page_size: must be at most ${most}` : undefined

describe('a page size above an undocumented maximum', () => {
  it.each([true, false])(
    'is halved until it is accepted, and the size is remembered (named by the error: %s)',
    async (worded) => {
      const { fetch, open, found, sent } = await service(tooLarge(100), worded)
      expect(await fetch()).toMatchObject({ records: [] })
      // If the refusal has no message, the smallest size is tried first. The last request repeats the first
      // size, in case the refusal was temporary.
      expect(sent()).toEqual(['300', ...(worded ? [] : ['10']), '150', '75', '300'])
      await fetch()
      expect(sent()).toEqual(['75'])
      expect([...found]).toEqual([['page_size:users.list', '75']])
      await open()()
      expect(sent()).toEqual(['75'])
    },
  )

  it('is reduced to one if necessary', async () => {
    const { fetch, sent } = await service(tooLarge(1))
    expect(await fetch()).toMatchObject({ records: [] })
    expect(sent().slice(0, -1)).toEqual(['300', '150', '75', '38', '19', '10', '5', '3', '2', '1'])
  })

  it('is requested again after a temporary refusal, and no smaller size is remembered', async () => {
    let refused = false
    const once = () => (refused ? undefined : ((refused = true), 'page_size: too large'))
    const { fetch, found, sent } = await service(once)
    expect(await fetch()).toMatchObject({ records: [] })
    expect(sent()).toEqual(['300', '150', '300'])
    expect(found.size).toBe(0)
  })

  it('is not reduced if the error names another field, nor again if nothing helped', async () => {
    const other = await service(() => 'role_id: must be a number')
    expect(await other.fetch()).toMatchObject({ serviceCode: '300' })
    expect(other.sent()).toHaveLength(1)
    const { fetch, sent } = await service(() => '', false)
    expect(await fetch()).toMatchObject({ serviceCode: '300' })
    expect(sent()).toEqual(['300', '10'])
    expect(await fetch()).toMatchObject({ serviceCode: '300' })
    expect(sent()).toEqual(['300'])
  })

  it('is reduced for the next parent, until the lists of five parents accepted no size', async () => {
    let own = true
    const { fetch, sent } = await service((query) => (own ? 'no' : tooLarge(100)(query)), false)
    const list = (seesionId: string) => fetch(getWhiteboardSession, { path: { seesionId } })
    for (const one of ['s', 't', 's']) expect(await list(one)).toMatchObject({ status: 400 })
    expect(sent()).toEqual(['300', '10', '300', '10', '300'])
    own = false
    expect(await list('u')).toMatchObject({ records: [ACTIVITY] })
    own = true
    for (const one of 'vwxyzab') expect(await list(one)).toMatchObject({ status: 400 })
    sent()
    // After five parents without success, no other way is tried.
    expect(await list('c')).toMatchObject({ status: 400 })
    expect(sent()).toHaveLength(1)
  })
})

describe('the bounds of a requested range', () => {
  const path = { seesionId: 's' }
  const from = '2026-05-01T00:00:00Z'

  it.each([true, false])(
    'are omitted, if undocumented, once the service refuses them (names the parameter: %s)',
    async (worded) => {
      const refuses = (query: URLSearchParams) =>
        query.has('from') ? 'from is no parameter' : query.has('to') ? 'to is none' : undefined
      const { fetch, found, sent } = await service(refuses, worded)
      const query = { from, to: '2026-05-03T00:00:00Z' }
      const args = { path, query }
      const asked = [`300 ${from} ${query.to}`, '300', `300 ${from} ${query.to}`]
      const page = await fetch(getWhiteboardSession, args)
      expect(page).toMatchObject({ records: [ACTIVITY], asked: { query: {} } })
      expect(sent()).toEqual(asked)
      // One session proves nothing about the others, however often it is requested.
      await fetch(getWhiteboardSession, args)
      expect(sent()).toEqual(asked)
      expect(found.size).toBe(0)
      await fetch(getWhiteboardSession, { path: { seesionId: 't' }, query })
      expect(sent()).toEqual(asked)
      expect(found.get('bounds:whiteboard_sessions.get')).toBe('left out')
      await fetch(getWhiteboardSession, args)
      expect(sent()).toEqual(['300'])
      // Documented bounds are never left out: the service would return a different list.
      const days = { query: { type: 'past', from: '2026-05-01', to: '2026-05-03' } }
      expect(await fetch(listSessionReports, days)).toMatchObject({ serviceCode: '300' })
      for (const one of sent()) expect(one).toContain('2026-05-01 2026-05-03')
    },
  )

  it('are never omitted if they were accepted for another session', async () => {
    let refused = false
    const { fetch, found, sent } = await service((query) =>
      refused && query.has('from') ? 'from is too early' : undefined,
    )
    const list = (seesionId: string) =>
      fetch(getWhiteboardSession, {
        path: { seesionId },
        query: { from, to: '2026-05-03T00:00:00Z' },
      })
    expect(await list('s')).toMatchObject({ records: [ACTIVITY] })
    refused = true
    sent()
    for (const one of 'tuv') expect(await list(one)).toMatchObject({ status: 400 })
    for (const one of sent()) expect(one).toContain(from)
    expect(found.size).toBe(0)
  })

  it('cause an error in place of an empty list if only one session refuses them', async () => {
    const refuses = (query: URLSearchParams) =>
      query.has('from') ? 'from is too early' : undefined
    const { fetch, found } = await service(refuses, true, { empty: 1 })
    const args = { path, query: { from, to: '2026-05-03T00:00:00Z' } }
    expect(await fetch(getWhiteboardSession, args)).toMatchObject({ status: 400 })
    expect(found.size).toBe(0)
  })

  it('are never later than now by our clock', async () => {
    const { fetch, sent } = await service(() => undefined)
    const page = await fetch(getWhiteboardSession, {
      path,
      query: { from, to: '2026-05-05T00:00:00Z' },
    })
    const to = page instanceof Error ? '' : String(page.asked.query?.to)
    expect(to).toMatch(/^2026-05-04T12:00/)
    const days = { query: { type: 'past', from: '2026-05-01', to: '2026-05-05' } }
    await fetch(listSessionReports, days)
    expect(sent()).toEqual([`300 ${from} ${to}`, '300 2026-05-01 2026-05-04'])
  })

  it.each([true, false])(
    'end now by the service’s clock if it refuses now by ours (named by the error: %s)',
    async (worded) => {
      const now = '2026-05-04T10:00:00Z'
      const refuses = (query: URLSearchParams) =>
        (query.get('to') ?? '') > now ? 'to must not be in the future' : undefined
      const { fetch, sent } = await service(refuses, worded)
      const args = { path, query: { from, to: '2026-05-05T00:00:00Z' } }
      const page = await fetch(getWhiteboardSession, args)
      expect(page).toMatchObject({ records: [ACTIVITY] })
      const to = page instanceof Error ? '' : String(page.asked.query?.to)
      expect(to <= now).toBe(true)
      const [first, second, third] = sent()
      expect(first).toContain('2026-05-04T12:00')
      expect(second).toBe(`300 ${from} ${to}`)
      expect(third).toBe(first)
      await fetch(getWhiteboardSession, args)
      expect(sent()).toEqual([`300 ${from} ${to}`])
    },
  )

  it('are moved to now by our clock if the service’s clock is years off', async () => {
    const refuses = (query: URLSearchParams) =>
      (query.get('to') ?? '') > '2026-05-04T12:01' ? 'to must not be in the future' : undefined
    const date = 'Mon, 05 Jan 1970 10:00:00 GMT'
    const { fetch } = await service(refuses, true, { date })
    const args = { path, query: { from, to: '2026-05-05T00:00:00Z' } }
    expect(await fetch(getWhiteboardSession, args)).toMatchObject({
      asked: { query: { to: expect.stringContaining('2026-05-04') } },
    })
  })

  it('and a page size are both corrected, even if no error names them', async () => {
    const refuses = (query: URLSearchParams) => (query.has('from') ? 'x' : tooLarge(50)(query))
    const { fetch, sent } = await service(refuses, false)
    const args = { path, query: { from, to: '2026-05-03T00:00:00Z' } }
    expect(await fetch(getWhiteboardSession, args)).toMatchObject({ records: [ACTIVITY] })
    await fetch(getWhiteboardSession, { ...args, path: { seesionId: 't' } })
    sent()
    await fetch(getWhiteboardSession, args)
    expect(sent()).toEqual(['38'])
  })
})
