import type { IncomingHttpHeaders } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { openAuthorities } from '../../src/api/auth/authorities.ts'
import { allowedApi, type FollowedApi } from '../../src/api/call/request-address.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import type { CallsheetError } from '../../src/core/errors.ts'
import { listRecordings } from '../../src/resources/recordings.ts'
import { listUsers } from '../../src/resources/users.ts'
import { downloadArchivedFile } from '../../src/resources/whiteboard-archives.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { memorySinks } from '../api/memory-sink.ts'
import { memoryTokens, SERVER_APP } from '../api/memory-stores.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { openOrigin, type Said } from './open-origin.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function origin(answer: (headers: IncomingHttpHeaders, path: string) => Said) {
  const opened = await openOrigin(answer)
  closers.push(opened.close)
  return opened
}

const lists = () =>
  origin((_headers, path) => ({
    status: 200,
    body: path.startsWith('/v2/files')
      ? 'a file'
      : '{"users":[],"sessions":[],"next_page_token":""}',
  }))

/** An issuer whose n-th token names the n-th address, and the last one from then on. */
async function issuer(...addresses: (string | undefined)[]) {
  let given = 0
  return await origin(() => {
    const api_url = addresses[Math.min(given++, addresses.length - 1)]
    const token = { access_token: `canary-${given}`, token_type: 'bearer', expires_in: 3600 }
    return { status: 200, body: JSON.stringify({ ...token, api_url }) }
  })
}

function account(
  authUrl: string,
  { api, hosts, clock = manualClock(0), store = memoryTokens(clock) }: Account,
) {
  const { oauth, jwt, close } = openAuthorities({
    credentials: { authUrl, clientId: 'c', clientSecret: 's' },
    ...SERVER_APP,
    sessionJwt: { apiKey: 'k', apiSecret: 'a secret of the app' },
    store,
    clock,
    observer: silentObserver,
  })
  const followedApi: FollowedApi | undefined = hosts && {
    hosts,
    told: async (signal) => (await oauth.current(signal)).apiUrl,
  }
  const tested = clientUnderTest(api, {
    authorities: { oauth, ...(jwt === undefined ? {} : { jwt }) },
    followedApi,
  })
  closers.push(tested.close, close)
  return tested.client
}

interface Account {
  /** With its version. */
  api: string
  /** Undefined: nothing is followed. */
  hosts: readonly string[] | undefined
  clock?: ReturnType<typeof manualClock>
  store?: ReturnType<typeof memoryTokens>
}

const users = { query: { status: 'active' } } as const
const month = { query: { from: '2026-06-01', to: '2026-06-30' } }
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as CallsheetError,
  )

describe('the API address in a token response', () => {
  it('replaces the configured address, also for calls with a JWT and for files', async () => {
    const [first, second] = [await lists(), await lists()]
    const { url } = await issuer(second.url)
    const client = account(url, { api: `${first.url}/v2`, hosts: [new URL(second.url).host] })
    await client.fetchPage(listUsers, users)
    await client.fetchPage(listRecordings, month)
    const { receive } = memorySinks()
    const file = { url: `${second.url}/v2/files/1`, receive }
    const { sink } = await client.download(downloadArchivedFile, file)
    expect(sink.bytes().toString()).toBe('a file')
    expect(first.requests).toEqual([])
    const bearers = second.requests.map(({ headers }) => headers.authorization)
    expect(bearers).toEqual([
      'Bearer canary-1',
      expect.stringMatching(/^Bearer ey/),
      'Bearer canary-1',
    ])
    expect(second.requests.map(({ path }) => path.split('?')[0])).toEqual([
      '/v2/users',
      '/v2/videosdk/recordings',
      '/v2/files/1',
    ])
  })

  it('is stored with the token, so the next client uses it too', async () => {
    const [first, second] = [await lists(), await lists()]
    const { url, requests } = await issuer(second.url)
    const clock = manualClock(0)
    const own = { api: `${first.url}/v2`, hosts: [new URL(second.url).host], clock }
    const store = memoryTokens(clock)
    await account(url, { ...own, store }).fetchPage(listUsers, users)
    await account(url, { ...own, store }).fetchPage(listUsers, users)
    expect(requests).toHaveLength(1)
    expect(second.requests).toHaveLength(2)
    expect(first.requests).toEqual([])
  })

  it('is always taken from the newest token', async () => {
    const [first, second, third] = [await lists(), await lists(), await lists()]
    const { url } = await issuer(second.url, third.url, undefined)
    const clock = manualClock(0)
    const hosts = [second, third].map((one) => new URL(one.url).host)
    const client = account(url, { api: `${first.url}/v2`, hosts, clock })
    for (const _ of [1, 2, 3]) {
      await client.fetchPage(listUsers, users)
      await clock.advance(3_600_000)
    }
    const calls = [second, third, first].map(({ requests }) =>
      requests.map(({ headers }) => headers.authorization),
    )
    expect(calls).toEqual([['Bearer canary-1'], ['Bearer canary-2'], ['Bearer canary-3']])
  })

  it('receives no call if its host is not allowed, and neither does the configured address', async () => {
    const [first, second] = [await lists(), await lists()]
    const { host } = new URL(second.url)
    const { url } = await issuer(`${second.url}/v2`)
    const client = account(url, { api: `${first.url}/v2`, hosts: ['127.0.0.1:1'] })
    for (const call of [
      () => client.fetchPage(listUsers, users),
      () => client.fetchPage(listRecordings, month),
    ]) {
      const error = await refusal(call())
      expect(error?.facts.came).toContain(host)
      expect(error?.facts.todo).toContain(
        `if ${host} belongs to the service, add it to the account's apiHosts`,
      )
    }
    expect([first.requests, second.requests]).toEqual([[], []])
  })

  it('is reported with a hint at apiHosts if it is not followed and no call succeeded', async () => {
    const [first, second] = [await origin(() => ({ status: 404, body: '' })), await lists()]
    const { url } = await issuer(second.url)
    const client = account(url, { api: `${first.url}/v2`, hosts: undefined })
    await refusal(client.fetchPage(listUsers, users))
    const { host } = new URL(second.url)
    expect(client.remark()).toContain(`add ${host} to apiHosts`)
    expect(second.requests).toEqual([])
  })

  const error = (code: string) => JSON.stringify({ code, message: 'no' })
  it.each([
    ['a refused page', { status: 200, body: '{"users":[],"total_records":"30+"}' }],
    ['a page without its list', { status: 200, body: '{"users":"none"}' }],
    ['a refusal with a code of the API', { status: 404, body: error('1001') }],
    ['a missing scope', { status: 400, body: error('4711') }],
    ['too many calls', { status: 429, body: '' }],
    ['a server error of the API', { status: 500, body: error('5010') }],
  ])('is not reported if the configured address responds with %s', async (_name, answer) => {
    const [first, second] = [await origin(() => answer), await lists()]
    const { url } = await issuer(second.url)
    const client = account(url, { api: `${first.url}/v2`, hosts: undefined })
    await refusal(client.fetchPage(listUsers, users))
    expect(client.remark()).toBeUndefined()
  })

  it.each([
    ['a page', { status: 200, body: '<html>Welcome' }],
    ['a bare 404', { status: 404, body: error('404') }],
    ['a refused token', { status: 401, body: error('124') }],
  ])(
    'is reported if something other than the API may have responded: %s',
    async (_name, answer) => {
      const [first, second] = [await origin(() => answer), await lists()]
      const { url } = await issuer(second.url)
      const client = account(url, { api: `${first.url}/v2`, hosts: undefined })
      await refusal(client.fetchPage(listUsers, users))
      expect(client.remark()).toContain('to apiHosts')
    },
  )

  it('is not reported if the configured address works', async () => {
    const [first, second] = [await lists(), await lists()]
    const { url } = await issuer(second.url)
    const client = account(url, { api: `${first.url}/v2`, hosts: undefined })
    await client.fetchPage(listUsers, users)
    expect(client.remark()).toBeUndefined()
    expect(second.requests).toEqual([])
  })
})

describe('following an API address', () => {
  const base = 'https://api.svc.example/v2'
  it.each([
    ['https://api.svc.example', base],
    ['https://api.svc.example/', base],
    ['https://api.svc.example/v2/', base],
    ['https://API-eu.svc.example', 'https://api-eu.svc.example/v2'],
    ['https://api-eu.svc.example/v2', 'https://api-eu.svc.example/v2'],
    ['https://api-eu.svc.example/east/', 'https://api-eu.svc.example/east/v2'],
  ])('turns %s into %s', (told, address) => {
    expect(allowedApi(base, ['api-eu.svc.example'], told)).toBe(address)
  })

  it('keeps the configured path if the token response names the same origin without a path', () => {
    const own = 'https://gate.example/svc/v2'
    expect(allowedApi(own, [], 'https://gate.example')).toBe(own)
  })

  it.each([
    'http://api.svc.example/v2',
    'http://127.0.0.1:8080/v2',
    'https://127.0.0.1/v2',
    'https://api.svc.example:8443/v2',
    'https://api.svc.example.evil.example/v2',
    'https://api.svc.example@evil.example/v2',
    'https://user@api.svc.example/v2',
    'https://api-eu.svc.example./v2',
    'https://api-eu.svc.example/v2?to=x',
    'https://api-eu.svc.example/v2#x',
    'ftp://api.svc.example/v2',
    'javascript:alert(1)',
    '//api.svc.example/v2',
    'api.svc.example',
    '',
  ])('refuses %j', (told) => {
    expect(() => allowedApi(base, ['api-eu.svc.example'], told)).toThrow('apiHosts')
  })
})
