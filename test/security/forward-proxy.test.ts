import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openAuthorities } from '../../src/api/auth/authorities.ts'
import { poolsThrough } from '../../src/api/call/pools.ts'
import type { ClientOptions } from '../../src/api/client.ts'
import type { Resolve } from '../../src/api/files/file-pools.ts'
import { proxyOf } from '../../src/config/environment.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import type { CallsheetError } from '../../src/core/errors.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { listUsers } from '../../src/resources/users.ts'
import { downloadArchivedFile } from '../../src/resources/whiteboard-archives.ts'
import { createWebhook } from '../../src/serve/alerts/webhook.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { faultServer, page } from '../api/fault-server.ts'
import { memorySinks } from '../api/memory-sink.ts'
import { memoryTokens, SERVER_APP } from '../api/memory-stores.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { makeAuthority } from './certificates.ts'
import { connectProxy } from './connect-proxy.ts'

const authority = makeAuthority('Our authority')
const trusted = tls.getCACertificates('default')
beforeAll(() => tls.setDefaultCACertificates([...trusted, authority.certificate]))
afterAll(() => tls.setDefaultCACertificates(trusted))

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** The service at a name that only the proxy can reach. */
async function open(refusal?: { status: number }, login = '') {
  const seen: string[] = []
  const { certificate, key } = authority.issue('api.example')
  const service = createServer({ cert: certificate, key }, (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    const token = { access_token: 't', token_type: 'bearer', expires_in: 3600, scope: 'a' }
    const isFile = request.url?.startsWith('/v2/f') === true
    const body = isFile ? 'a file' : { users: [], next_page_token: '', ...token }
    if (request.url === '/v2/f-away')
      return response.writeHead(302, { location: 'https://elsewhere.example/f' }).end()
    response.setHeader('content-type', isFile ? 'application/octet-stream' : 'application/json')
    return response.end(isFile ? body : JSON.stringify(body))
  })
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const proxy = await connectProxy((service.address() as AddressInfo).port, refusal)
  closers.push(async () => {
    service.closeAllConnections()
    await new Promise((resolve) => service.close(resolve))
  }, proxy.close)
  const address = proxy.address.replace('//', `//${login}`)
  const openPool = poolsThrough(proxyOf({ HTTPS_PROXY: address, NO_PROXY: 'inside.example' }))
  const client = (baseUrl = 'https://api.example/v2', options: Partial<ClientOptions> = {}) => {
    const tested = clientUnderTest(baseUrl, { openPool, ...options })
    closers.push(tested.close)
    return tested.client
  }
  return { ...proxy, seen, client, openPool, proxy: { address, except: '' } }
}

const resolving =
  (address: string): Resolve =>
  (_hostname, answer) =>
    answer(null, [{ address, family: 4 }])
const unknown: Resolve = (_hostname, answer) =>
  answer(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), [])

describe('the proxy from HTTPS_PROXY', () => {
  it('forwards API calls, and sees the host name but no token', async () => {
    const { asked, seen, client } = await open(undefined, 'me:pass%20word@')
    await client().fetchPage(listUsers, {})
    const login = `Basic ${Buffer.from('me:pass word').toString('base64')}`
    expect(asked).toEqual([{ target: 'api.example:443', login }])
    expect(seen).toEqual(['GET /v2/users?page_size=300 Bearer token-1'])
  })

  it('forwards token requests', async () => {
    const { asked, openPool } = await open()
    const clock = manualClock(Date.UTC(2026, 4, 4))
    const { oauth, close } = openAuthorities({
      credentials: { authUrl: 'https://api.example', clientId: 'c', clientSecret: 's' },
      ...SERVER_APP,
      sessionJwt: undefined,
      store: memoryTokens(clock),
      clock,
      observer: silentObserver,
      openPool,
    })
    closers.push(close)
    expect((await oauth.current()).value).toBe('t')
    expect(asked.map(({ target }) => target)).toEqual(['api.example:443'])
  })

  it.each([
    ['public', resolving('93.184.216.34')],
    ['known only to the proxy', unknown],
  ])('forwards downloads of files whose host address is %s', async (_name, resolve) => {
    const { asked, client } = await open()
    const { receive } = memorySinks()
    const request = { url: 'https://api.example/v2/f', receive, bytes: 6 }
    const { sink } = await client(undefined, { resolve }).download(downloadArchivedFile, request)
    expect(sink.bytes().toString()).toBe('a file')
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['whose name has a private address', '/v2/f', resolving('10.0.0.5')],
    ['whose name is of this machine', '/v2/f', resolving('127.0.0.1')],
  ])('receives no request for a file %s', async (_name, path, resolve) => {
    const { asked, client } = await open()
    const request = { url: `https://api.example${path}`, receive: memorySinks().receive }
    await expect(
      client(undefined, { resolve }).download(downloadArchivedFile, request),
    ).rejects.toMatchObject({ code: 'address_refused' })
    expect(asked).toEqual([])
  })

  it('receives no request for a redirect target that is not allowed', async () => {
    const { asked, client } = await open()
    const request = { url: 'https://api.example/v2/f-away', receive: memorySinks().receive }
    await expect(
      client(undefined, { resolve: unknown }).download(downloadArchivedFile, request),
    ).rejects.toMatchObject({ code: 'address_refused' })
    expect(asked.map(({ target }) => target)).toEqual(['api.example:443'])
  })

  it('receives no request for this machine or for hosts in NO_PROXY', async () => {
    const { asked, client } = await open()
    const own = await faultServer(page())
    closers.push(own.close)
    await client(own.url).fetchPage(listUsers, {})
    expect(own.requests).toHaveLength(1)
    await expect(
      client('https://deep.inside.example/v2').fetchPage(listUsers, {}),
    ).rejects.toMatchObject({ code: 'no_such_host' })
    expect(asked).toEqual([])
  })

  it.each([
    [407, 'proxy_refused', 3, 'the user name and password of the proxy to HTTPS_PROXY'],
    [403, 'proxy_refused', 3, 'allow the host at the proxy'],
    [502, 'proxy', 8, 'answered HTTP 502'],
  ])('is named in the error if it responds with %s', async (status, code, tries, words) => {
    const { asked, client } = await open({ status }, 'me:canary@')
    const error = await client()
      .fetchPage(listUsers, {})
      .catch((thrown: unknown) => thrown as CallsheetError)
    expect(error).toMatchObject({ code, retry: { kind: 'backoff' } })
    expect((error as Error).message).toContain(words)
    expect((error as Error).message).not.toContain('canary')
    expect(asked).toHaveLength(tries)
  })

  it('forwards webhook calls, and is named in the error if it refuses one', async () => {
    const message = { subject: 's', text: 't', facts: {} }
    for (const refusal of [undefined, { status: 403 }]) {
      const { asked, seen, proxy } = await open(refusal)
      const url = () => 'https://api.example/hook'
      const hook = createWebhook(
        { setting: 'alerts.webhook', url, form: 'json', timeoutMs: 5_000, proxy: () => proxy },
        { clock: systemClock },
      )
      const sent = hook.send(message)
      if (refusal === undefined) await sent
      else await expect(sent).rejects.toThrow('the proxy in HTTPS_PROXY answered HTTP 403')
      expect(seen).toHaveLength(refusal === undefined ? 1 : 0)
      expect(asked).toHaveLength(1)
    }
  })
})

describe('the proxy environment variables', () => {
  it.each([
    [{}, undefined],
    [{ HTTPS_PROXY: '' }, undefined],
    [{ HTTP_PROXY: 'http://p:1' }, undefined],
    [{ HTTPS_PROXY: 'http://p:3128' }, { address: 'http://p:3128/', except: '' }],
    [
      { https_proxy: 'p:3128', HTTPS_PROXY: 'http://q' },
      { address: 'http://p:3128/', except: '' },
    ],
    [
      { HTTPS_PROXY: 'https://u:p@p', NO_PROXY: 'a.example, .b' },
      { address: 'https://u:p@p/', except: 'a.example, .b' },
    ],
  ])('%j are read as %j', (environment, proxy) => {
    expect(proxyOf(environment)).toEqual(proxy)
  })

  it.each(['socks5://canary@p:1080', 'http://', '://canary'])('%s is refused', (HTTPS_PROXY) => {
    expect(() => proxyOf({ HTTPS_PROXY })).toThrow('correct HTTPS_PROXY')
    expect(() => proxyOf({ HTTPS_PROXY })).not.toThrow('canary')
  })
})
