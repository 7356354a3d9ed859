import { afterEach, expect, test } from 'vitest'
import { refuseLoop } from '../../../src/api/answers/paging.ts'
import type { Stream } from '../../../src/core/define/stream.ts'
import { FingerprintTable } from '../../../src/core/records/fingerprint-table.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { sessionReports } from '../../../src/resources/session-reports.ts'
import { users } from '../../../src/resources/users.ts'
import { pageChain } from '../../../src/sync/read/page-chain.ts'
import type { RunContext } from '../../../src/sync/run/run-context.ts'
import { clientUnderTest } from '../../api/client-under-test.ts'
import { type Answer, faultServer, JSON_TYPE, page, send } from '../../api/fault-server.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const body = (text: string): Answer => send(200, text, JSON_TYPE)

/** The IDs on each page of the chain, and the requested page tokens. */
function follow(...answers: Answer[]) {
  return followList(users, { status: 'active' }, answers)
}

async function followList(stream: Stream, query: Record<string, string>, answers: Answer[]) {
  const server = await faultServer(...answers)
  const tested = clientUnderTest(server.url)
  closers.push(tested.close, server.close)
  let sequence = 0
  const run = {
    client: tested.client,
    clock: systemClock,
    signal: new AbortController().signal,
    nextSequence: () => ++sequence,
  } as unknown as RunContext
  const request = { slice: 'all', arguments: { query }, filter: {} }
  const slice = { request, owned: undefined, parent: undefined, history: undefined }
  const heard = { onBegin: () => {}, isEnd: () => Promise.resolve(false) }
  const table = new FingerprintTable()
  const options = { stream, slice, table, args: request.arguments, ...heard }
  const pages: { ids: unknown[]; sequence: number }[] = []
  for await (const { recognised, sequence: asked } of pageChain(run, options)) {
    const { count, parsedAt } = recognised
    const ids = Array.from({ length: count }, (_, at) => (parsedAt(at) as { id: unknown }).id)
    pages.push({ ids, sequence: asked })
  }
  const tokens = server.requests.map(({ path }) =>
    new URL(path, 'http://localhost').searchParams.get('next_page_token'),
  )
  return { pages, tokens }
}

test('a page with a broken record is requested again, and the chain continues', async () => {
  const { pages, tokens } = await follow(
    body('{"users":[{"id":"a"},{"id":"b"}],"next_page_token":"2"}'),
    body('{"users":[{"id":"c"},{"id":oops}],"next_page_token":"3"}'),
    page({ id: 'e' }),
    body('{"users":[{"id":"c"},{"id":"d"}],"next_page_token":"3"}'),
  )
  expect(pages.map(({ ids }) => ids)).toEqual([['a', 'b'], ['c', 'd'], ['e']])
  expect(tokens).toEqual([null, '2', '3', '2'])
  // The repeated request counts as the later one for its records.
  expect(pages.map(({ sequence }) => sequence)).toEqual([1, 4, 3])
})

test('a page that was requested again is rejected if it has another range', async () => {
  const range = { from: '2026-06-03', to: '2026-06-19' }
  const answer = (id: string, from: string) =>
    body(`{"from":"${from}","to":"2026-06-19","sessions":[{"id":"a"},{"id":${id}}]}`)
  const again = (from: string) =>
    followList(sessionReports, range, [answer('oops', range.from), answer('"b"', from)])
  await expect(again('2026-06-10')).rejects.toMatchObject({ code: 'other_answer' })
  const { pages } = await again(range.from)
  expect(pages.map(({ ids }) => ids)).toEqual([['a', 'b']])
})

test('a later page with another range is rejected', async () => {
  const range = { from: '2026-06-03', to: '2026-06-19' }
  const answer = (id: string, from: string, next = '') =>
    body(
      `{"from":"${from}","to":"2026-06-19","sessions":[{"id":"${id}"}],"next_page_token":"${next}"}`,
    )
  const read = (from: string) =>
    followList(sessionReports, range, [answer('a', range.from, 'x'), answer('b', from)])
  await expect(read('2026-06-10')).rejects.toMatchObject({ code: 'other_answer' })
  expect((await read(range.from)).pages).toHaveLength(2)
})

test('a page with its records in an unusual place is read completely', async () => {
  const others = '"others":[{"id":"z"}]'
  const { pages, tokens } = await follow(
    body(`{"users":[{"id":"a"},{"id":"b"}],"next_page_token":"2",${others}}`),
    body(`{"users":[{"id":"c","nested":[{"id":1},{"id":2}]}],"next_page_token":"3"}`),
    body(`{ "users" : [ {"id":"d"} ], "next_page_token": null }`),
  )
  expect(pages.map(({ ids }) => ids)).toEqual([['a', 'b'], ['c'], ['d']])
  expect(tokens).toEqual([null, '2', '3'])
})

test('a page token followed by another list in the same page is used', async () => {
  const { pages, tokens } = await follow(
    body('{"users":[{"id":"a"}],"next_page_token":"2","others":[{"id":"z"}]}'),
    page({ id: 'b' }),
  )
  expect(pages.map(({ ids }) => ids)).toEqual([['a'], ['b']])
  expect(tokens).toEqual([null, '2'])
})

test('a list has at most 100,000 pages, even if each has a new token', () => {
  const asked = new Set(Array.from({ length: 99_999 }, (_, at) => `page ${at}`))
  const ask = (token: string) => refuseLoop(users, { next_page_token: token }, asked)
  ask('a')
  expect(() => ask('a')).toThrow('the service sent the same page token twice')
  expect(() => ask('b')).toThrow('more than 100000 pages')
})
