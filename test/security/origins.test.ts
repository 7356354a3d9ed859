import { type AddressInfo, createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openAuthorities } from '../../src/api/auth/authorities.ts'
import { openPool } from '../../src/api/call/pools.ts'
import { serviceUrl } from '../../src/config/fields.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { ConfigurationError } from '../../src/core/errors.ts'
import { getUser, listUsers } from '../../src/resources/users.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { faultServer, send } from '../api/fault-server.ts'
import { memoryTokens, SERVER_APP } from '../api/memory-stores.ts'
import { manualClock } from '../helpers/manual-clock.ts'

let connected = 0
const listener = createServer((socket) => {
  connected++
  socket.destroy()
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve))
  port = (listener.address() as AddressInfo).port
})
afterAll(() => void listener.close())

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

describe('a redirect of a call with a token', () => {
  it.each([301, 302, 303, 307, 308])(
    'with %i is refused for an API call, even within the same origin',
    async (status) => {
      const second = await faultServer(send(200, { users: [] }))
      closers.push(second.close)
      for (const target of [`${second.url}/users`, '/v2/users', '//localhost/users']) {
        const first = await faultServer(send(status, '', { location: target }))
        const { client, close } = clientUnderTest(first.url)
        closers.push(first.close, close)
        for (const call of [
          client.fetchPage(listUsers, { query: { status: 'active' } }),
          client.fetchDetail(getUser, { path: { userId: 'u' } }),
        ])
          await expect(call).rejects.toThrow(`HTTP ${status}`)
        expect(first.requests.map(({ bearer }) => bearer)).toEqual(Array(2).fill('Bearer token-1'))
      }
      expect(second.requests).toEqual([])
    },
  )

  it('is refused for a token request, and the credentials are not sent on', async () => {
    const second = await faultServer(send(200, { access_token: 't', token_type: 'bearer' }))
    const first = await faultServer(send(307, '', { location: `${second.url}/oauth/token` }))
    closers.push(first.close, second.close)
    const clock = manualClock(0)
    const { oauth, close } = openAuthorities({
      credentials: { authUrl: first.url, clientId: 'c', clientSecret: 's' },
      ...SERVER_APP,
      sessionJwt: undefined,
      store: memoryTokens(clock),
      clock,
      observer: silentObserver,
    })
    closers.push(close)
    await expect(oauth.current()).rejects.toThrow('HTTP 307')
    expect(first.requests).toHaveLength(1)
    expect(second.requests).toEqual([])
  })
})

describe('another API address', () => {
  it('in a token response receives no request if it is not allowed', async () => {
    const second = await faultServer(send(200, { users: [] }))
    const granted = { access_token: 'canary', token_type: 'bearer', expires_in: 3600 }
    const issuer = await faultServer(send(200, { ...granted, api_url: second.url }))
    const first = await faultServer(send(200, { users: [], next_page_token: '' }))
    const clock = manualClock(0)
    const { oauth, close: closeAuth } = openAuthorities({
      credentials: { authUrl: issuer.url, clientId: 'c', clientSecret: 's' },
      ...SERVER_APP,
      sessionJwt: undefined,
      store: memoryTokens(clock),
      clock,
      observer: silentObserver,
    })
    const { client, close } = clientUnderTest(first.url, { authorities: { oauth } })
    closers.push(first.close, second.close, issuer.close, close, closeAuth)
    // Whether the answer is taken at all or refused: what it names is not called.
    await Promise.allSettled([client.fetchPage(listUsers, { query: { status: 'active' } })])
    expect(issuer.requests).toHaveLength(1)
    expect(first.requests.every(({ bearer }) => bearer === 'Bearer canary')).toBe(true)
    expect(second.requests).toEqual([])
  })
})

describe('an address that would receive tokens', () => {
  it.each(CORPUS())('is refused, before anything connects: %s', (template) => {
    const address = template.replaceAll('PORT', String(port))
    expect(serviceUrl().safeParse(address).success).toBe(false)
    const open = (): unknown => openPool(address, { connectTimeoutMs: 100, connections: 1 })
    // What the settings alone refuse (a query, a fragment) never gets into a connection.
    if (!/[?#]/.test(address)) expect(open).toThrow(Error)
    expect(connected).toBe(0)
  })

  it.each([
    'https://api.svc.example/v2',
    'https://api.svc.example:8443/v2',
    'http://127.0.0.1:8080/v2',
    'http://localhost:8080',
    'http://[::1]:8080/v2',
  ])('may be %s', (address) => {
    expect(serviceUrl().safeParse(address).success).toBe(true)
    closers.push(() => pool.destroy())
    const pool = openPool(address, { connectTimeoutMs: 100, connections: 1 })
    expect(connected).toBe(0)
  })

  it('does not appear in the error that refuses it', () => {
    const open = (): unknown =>
      openPool('https://canary:canary@svc.example', { connectTimeoutMs: 1, connections: 1 })
    expect(open).toThrow(ConfigurationError)
    expect(open).not.toThrow('canary')
  })
})

/** Addresses that look right and are not; PORT is where a listener counts who comes. */
function CORPUS(): string[] {
  return [
    'http://0.0.0.0:PORT/',
    'http://0:PORT/',
    'http://[::]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[0:0:0:0:0:ffff:7f00:1]:PORT/',
    'http://127.0.0.1.nip.example:PORT/',
    'http://localhost.:PORT/',
    'http://localhost.evil.example:PORT/',
    'http://api.svc.example/v2',
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/latest',
    'http://10.0.0.1/',
    'http://192.168.0.1/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://127.0.0.1:80@evil.example/',
    'http://localhost@evil.example/',
    'https://api.svc.example@evil.example/v2',
    'https://user:pass@api.svc.example/v2',
    'https://:pass@api.svc.example/v2',
    'ftp://127.0.0.1:PORT/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'ws://127.0.0.1:PORT/',
    'unix:/var/run/x.sock',
    'https://',
    'api.svc.example/v2',
    '//api.svc.example/v2',
    'https://api.svc.example/v2?next=https://evil.example',
    'https://api.svc.example/v2#@evil.example',
    '',
  ]
}
