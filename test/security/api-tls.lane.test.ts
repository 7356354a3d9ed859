import type { AddressInfo, Socket } from 'node:net'
import tls from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openAuthorities } from '../../src/api/auth/authorities.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { TransportError } from '../../src/core/errors.ts'
import { listUsers } from '../../src/resources/users.ts'
import { downloadArchivedFile } from '../../src/resources/whiteboard-archives.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { memorySinks } from '../api/memory-sink.ts'
import { memoryTokens, SERVER_APP } from '../api/memory-stores.ts'
import { openWorkbench } from '../cli/workbench.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { type Issued, makeAuthority, selfSigned } from './certificates.ts'
import { openOrigin } from './open-origin.ts'

const authority = makeAuthority('Our authority')
const year = 365 * 86_400_000
const expired = { fromMs: Date.now() - year, toMs: Date.now() - 60_000 }
const faults: [string, Issued, tls.TlsOptions, RegExp][] = [
  ['expired', authority.issue('localhost', expired), {}, /CERT_HAS_EXPIRED/],
  ['for another host', authority.issue('api.example'), {}, /ERR_TLS_CERT_ALTNAME_INVALID/],
  ['self-signed', selfSigned('localhost'), {}, /DEPTH_ZERO_SELF_SIGNED_CERT/],
  ['from another authority', makeAuthority('Other').issue('localhost'), {}, /UNABLE_TO_VERIFY/],
  [
    'valid, but over TLS 1.1',
    authority.issue('localhost'),
    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' },
    /SSL|EPROTO/,
  ],
]

const trusted = tls.getCACertificates('default')
beforeAll(() => tls.setDefaultCACertificates([...trusted, authority.certificate]))
afterAll(() => tls.setDefaultCACertificates(trusted))

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

describe('a server with an invalid certificate', () => {
  it.each(faults)(
    'N8 (%s) receives no byte of a call, and is tried only once',
    async (...fault) => {
      const [, issued, options, reason] = fault
      const server = await tlsServer(issued, options)
      const { client, close } = clientUnderTest(`https://localhost:${server.port}/v2`)
      closers.push(close)
      const error = await failure(client.fetchPage(listUsers, { query: { status: 'active' } }))
      expect(error.code).toBe('tls')
      expect(error.message).toMatch(reason)
      expect(error.message).toContain("check the server's certificate")
      expect(server.received()).toBe('')
      expect(server.connections()).toBe(1)
    },
  )

  it.each(faults)('N8 (%s) receives no byte of the credentials', async (_name, issued, options) => {
    const server = await tlsServer(issued, options)
    const error = await failure(oauthAt(server.port).current())
    expect(error.code).toBe('tls')
    expect(error.retry).toEqual({ kind: 'never' })
    expect(server.received()).toBe('')
    expect(server.connections()).toBe(1)
  })

  it('N8 is refused even if NODE_TLS_REJECT_UNAUTHORIZED=0 turns off certificate checks', async () => {
    const server = await tlsServer(selfSigned('localhost'))
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    const error = await failure(oauthAt(server.port).current())
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    expect(error.code).toBe('tls')
    expect(server.received()).toBe('')
  })
})

describe('a server with an unsupported protocol', () => {
  it.each<[string, tls.TlsOptions, string]>([
    ['only HTTP/2', { ALPNProtocols: ['h2'] }, 'turn on HTTP/1.1'],
    [
      'only TLS 1.1',
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' },
      'Callsheet needs TLS 1.2 or later',
    ],
  ])('(%s) is named in the error, and is tried only once', async (_name, options, words) => {
    const server = await tlsServer(authority.issue('localhost'), options)
    const { client, close } = clientUnderTest(`https://localhost:${server.port}/v2`)
    closers.push(close)
    const error = await failure(client.fetchPage(listUsers, { query: { status: 'active' } }))
    expect(error.code).toBe('tls')
    expect(error.message).toContain(words)
    expect(server.connections()).toBe(1)
  })

  it('(no TLS at all) is named in the error', async () => {
    const plain = await openOrigin(() => ({ status: 200 }))
    closers.push(async () => plain.close())
    const { client, close } = clientUnderTest(`https://localhost:${plain.port}/v2`)
    closers.push(close)
    const error = await failure(client.fetchPage(listUsers, {}))
    expect(error.message).toContain('does not use TLS')
  })
})

it('a sync stops after the first slices, sends no byte and reports the invalid certificate', async () => {
  const bench = await openWorkbench()
  const server = await tlsServer(selfSigned('localhost'))
  bench.configure({ account: [`baseUrl: https://localhost:${server.port}/v2`] })
  const { code, stderr } = await bench.run('sync', 'session-reports', 'recordings')
  const { runs } = JSON.parse((await bench.run('runs', '--json')).stdout) as {
    runs: { state: string }[]
  }
  await bench.close()
  expect(code).toBe(1)
  expect(stderr).toContain('DEPTH_ZERO_SELF_SIGNED_CERT')
  expect(stderr).toContain(
    'The certificate of the service is not valid, so the remaining slices were not read',
  )
  expect(runs.map(({ state }) => state)).toEqual(['incomplete', 'incomplete'])
  expect(server.received()).toBe('')
  // As many as were under way when the first one failed: of some thirty slices.
  expect(server.connections()).toBeLessThanOrEqual(16)
})

it('a server with a valid certificate does receive the token (control)', async () => {
  const server = await tlsServer(authority.issue('localhost'))
  const { client, close } = clientUnderTest(`https://localhost:${server.port}/v2`)
  closers.push(close)
  await client.fetchPage(listUsers, { query: { status: 'active' } })
  expect(server.received()).toContain('Bearer token-1')
})

it('a redirect from https to http is refused when fetching a file', async () => {
  const plain = await openOrigin(() => ({ status: 200, body: 'a file' }))
  closers.push(async () => plain.close())
  const away = `HTTP/1.1 302 Found\r\nlocation: ${plain.url}/f\r\ncontent-length: 0\r\n\r\n`
  const server = await tlsServer(authority.issue('localhost'), {}, away)
  const base = `https://localhost:${server.port}/v2`
  const { client, close } = clientUnderTest(base, { fileHosts: [`127.0.0.1:${plain.port}`] })
  closers.push(close)
  const { receive } = memorySinks()
  const fetched = client.download(downloadArchivedFile, { url: `${base}/f`, receive })
  await expect(fetched).rejects.toMatchObject({ code: 'address_refused' })
  expect(server.received()).toContain('GET /v2/f')
  expect(plain.requests).toEqual([])
})

function oauthAt(port: number) {
  const clock = manualClock(Date.UTC(2026, 4, 4))
  const authUrl = `https://localhost:${port}`
  const { oauth, close } = openAuthorities({
    credentials: { authUrl, clientId: 'c', clientSecret: 'canary' },
    ...SERVER_APP,
    sessionJwt: undefined,
    store: memoryTokens(clock),
    clock,
    observer: silentObserver,
  })
  closers.push(close)
  return oauth
}

/** Reads what comes inside TLS, and answers everything with an empty page, or with what is given. */
async function tlsServer(
  { certificate, key }: Issued,
  options: tls.TlsOptions = {},
  answer = PAGE,
) {
  const received: Buffer[] = []
  let connections = 0
  const server = tls.createServer({ cert: certificate, key, ...options }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      received.push(bytes)
      socket.write(answer)
    })
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    connections++
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  )
  return {
    port: (server.address() as AddressInfo).port,
    received: () => Buffer.concat(received).toString(),
    connections: () => connections,
  }
}

async function failure(promise: Promise<unknown>): Promise<TransportError> {
  const error = await promise.then(
    () => new Error('it worked'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(TransportError)
  return error as TransportError
}

const BODY = '{"users":[],"next_page_token":""}'
const PAGE = [
  'HTTP/1.1 200 OK',
  'content-type: application/json',
  `content-length: ${BODY.length}`,
  '',
  BODY,
].join('\r\n')
