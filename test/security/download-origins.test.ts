import type { IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer as createListener } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ClientOptions } from '../../src/api/client.ts'
import type { Resolve } from '../../src/api/files/file-pools.ts'
import type { CallsheetError } from '../../src/core/errors.ts'
import { downloadRecordingFile } from '../../src/resources/recording-downloads.ts'
import { downloadArchivedFile } from '../../src/resources/whiteboard-archives.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { memorySinks } from '../api/memory-sink.ts'
import { fileAddresses } from './file-addresses.ts'
import { openOrigin, type Said } from './open-origin.ts'

// H1, H2, ... are the faults in docs/internals/faults.md.

let connected = 0
const canary = createListener((socket) => {
  connected++
  socket.destroy()
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, '::', resolve))
  port = (canary.address() as AddressInfo).port
})
afterAll(() => void canary.close())

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  connected = 0
})

/** An origin that is closed after the test. */
async function origin(answer: (headers: IncomingHttpHeaders, path: string) => Said) {
  const opened = await openOrigin(answer)
  closers.push(opened.close)
  return opened
}

async function download(baseUrl: string, url: string, options: Partial<ClientOptions> = {}) {
  const tested = clientUnderTest(baseUrl, options)
  closers.push(tested.close)
  const { receive } = memorySinks()
  return await tested.client.download(downloadArchivedFile, { url, receive }).then(
    ({ sink }) => sink.bytes().toString(),
    (error: unknown) => error as CallsheetError,
  )
}

describe('a file’s address', () => {
  it.each(fileAddresses())('is refused before anything connects: %s', async (template) => {
    const hosts = [`files.svc.example:${port}`, `127.0.0.1:${port}`, `localhost:${port}`]
    const url = template.replaceAll('PORT', String(port))
    const resolve: Resolve = (_name, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }])
    const options = { fileHosts: hosts, resolve }
    const error = await download('https://api.svc.example/v2', url, options)
    expect(error).toMatchObject({ code: 'address_refused' })
    expect((error as CallsheetError).message).not.toContain('signature')
    expect(connected).toBe(0)
  })

  it.each(
    [
      '127.0.0.1 ::1 ::ffff:127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1',
      '0.0.0.0 fe80::1 fc00::1 fd00:ec2::254 ::ffff:10.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 224.0.0.1',
      '255.255.255.255 :: 198.18.0.1 2001:db8::1',
    ].flatMap((line) => line.split(' ')),
  )('is refused if its host name resolves to %s', async (address) => {
    const family = address.includes(':') ? 6 : 4
    const host = `files.svc.example:${port}`
    const asked: string[] = []
    // Also where a harmless address comes first.
    for (const before of [[], [{ address: '93.184.216.34', family: 4 }]]) {
      const resolve: Resolve = (name, answer) => {
        asked.push(name)
        answer(null, [...before, { address, family }])
      }
      const options = { fileHosts: [host], resolve }
      const url = `https://${host}/f?signature=s`
      const error = await download('https://api.svc.example/v2', url, options)
      expect(error).toMatchObject({ code: 'address_refused' })
    }
    expect(asked).toEqual(['files.svc.example', 'files.svc.example'])
    expect(connected).toBe(0)
  })

  it('is resolved only once, so a later DNS change cannot redirect the connection', async () => {
    const own = await origin((_headers, _path) => ({ status: 200, body: 'a file' }))
    const asked: string[] = []
    const resolve: Resolve = (name, answer) => {
      asked.push(name)
      // The next one would be somebody else.
      answer(null, [{ address: asked.length === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }])
    }
    const base = `http://localhost:${own.port}/v2`
    expect(await download(base, `${base}/f`, { resolve })).toBe('a file')
    expect(asked).toEqual(['localhost'])
    expect(await download(base, `${base}/f`, { resolve })).toMatchObject({
      code: 'address_refused',
    })
    expect(own.requests).toHaveLength(1)
  })
})

describe('a redirect of a file download', () => {
  it('sends another origin no bearer token, no token from the query and no custom header', async () => {
    const second = await origin(() => ({ status: 200, body: 'a file' }))
    const first = await origin(() => ({
      status: 302,
      location: `${second.url}/f?a=%2Fb&access_token=canary-token&signature=s`,
    }))
    const options = { fileHosts: [`127.0.0.1:${second.port}`] }
    const url = `${first.url}/v2/f?access_token=canary-token`
    expect(await download(`${first.url}/v2`, url, options)).toBe('a file')
    expect(first.requests[0]?.headers.authorization).toBe('Bearer token-1')
    expect(first.requests[0]?.path).toContain('access_token=canary-token')
    expect(second.requests.map(({ path }) => path)).toEqual(['/f?a=%2Fb&signature=s'])
    expect(Object.keys(second.requests[0]?.headers ?? {}).toSorted()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
  })

  it('is followed without the bearer token when it returns to the API from another origin', async () => {
    const first = await origin((_headers, path) =>
      path === '/v2/back' ? { status: 200, body: 'a file' } : { status: 307, location: away() },
    )
    const second = await origin(() => ({ status: 307, location: `${first.url}/v2/back` }))
    const away = (): string => `${second.url}/away`
    const options = { fileHosts: [`127.0.0.1:${second.port}`] }
    expect(await download(`${first.url}/v2`, `${first.url}/v2/f`, options)).toBe('a file')
    expect(first.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      undefined,
    ])
  })

  it('keeps the bearer token within the API, and counts as a separate call', async () => {
    const own = await origin((_headers, path) =>
      path === '/v2/b' ? { status: 200, body: 'a file' } : { status: 301, location: 'b' },
    )
    const tested = clientUnderTest(`${own.url}/v2`)
    closers.push(tested.close)
    const { receive } = memorySinks()
    await tested.client.download(downloadArchivedFile, { url: `${own.url}/v2/a`, receive })
    expect(own.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill('Bearer token-1'),
    )
    expect(tested.governor.stats().MEDIUM.requests).toBe(2)
  })

  it.each([
    ['of another host', 'http://127.0.0.1:PORT/f'],
    ['of another spelling of its host', 'http://localhost:OWN/f'],
    ['with a user', 'http://u:p@127.0.0.1:OWN/f'],
    ['of another scheme', 'file:///etc/passwd'],
    ['without a host', 'https://'],
  ])('to an address %s is refused', async (_name, target) => {
    const own = await origin(() => ({
      status: 302,
      location: target.replace('PORT', String(port)).replace('OWN', String(own.port)),
    }))
    const error = await download(`${own.url}/v2`, `${own.url}/v2/f`)
    expect(error).toMatchObject({ code: 'address_refused' })
    expect(own.requests).toHaveLength(1)
    expect(connected).toBe(0)
  })

  it('H19 is followed at most three times', async () => {
    const own = await origin((_headers, path) => ({ status: 302, location: `${path}x` }))
    expect(await download(`${own.url}/v2`, `${own.url}/v2/f`)).toMatchObject({
      code: 'too_many_redirects',
    })
    expect(own.requests).toHaveLength(4)
  })

  it('sends another origin no JWT for a recording file', async () => {
    const second = await origin(() => ({ status: 200, body: 'a file' }))
    const first = await origin(() => ({ status: 302, location: `${second.url}/f` }))
    const jwt = async () => ({ value: 'canary-jwt', version: 1 })
    const authorities = {
      oauth: { current: jwt, replace: jwt },
      jwt: { current: jwt, replace: jwt },
    }
    const fileHosts = [`127.0.0.1:${second.port}`]
    const tested = clientUnderTest(`${first.url}/v2`, { fileHosts, authorities })
    closers.push(tested.close)
    const { receive } = memorySinks()
    await tested.client.download(downloadRecordingFile, { url: `${first.url}/v2/f`, receive })
    expect(first.requests[0]?.headers.authorization).toBe('Bearer canary-jwt')
    expect(JSON.stringify(second.requests)).not.toContain('canary')
    expect(second.requests).toHaveLength(1)
  })
})

describe('a response from another origin', () => {
  it.each([401, 403, 404, 400])('does not renew our token (HTTP %i)', async (status) => {
    const second = await origin(() => ({ status, body: '{"code":124,"message":"canary"}' }))
    const own = await origin(() => ({ status: 302, location: `${second.url}/f` }))
    const tested = clientUnderTest(`${own.url}/v2`, { fileHosts: [`127.0.0.1:${second.port}`] })
    closers.push(tested.close)
    const { receive } = memorySinks()
    const request = { url: `${own.url}/v2/f`, receive }
    const error = await tested.client
      .download(downloadArchivedFile, request)
      .catch((failed: unknown) => failed as CallsheetError)
    expect(error).toMatchObject({
      status: status === 401 ? 403 : status,
      verdict: { kind: 'never' },
    })
    expect((error as CallsheetError).message).not.toContain('canary')
    expect(tested.replacements()).toBe(0)
  })

  it('does not slow down our API calls if it is HTTP 429', async () => {
    let refusals = 0
    const second = await origin(() =>
      refusals++ === 0 ? { status: 429, body: '' } : { status: 200, body: 'a file' },
    )
    const own = await origin(() => ({ status: 302, location: `${second.url}/f` }))
    const tested = clientUnderTest(`${own.url}/v2`, { fileHosts: [`127.0.0.1:${second.port}`] })
    closers.push(tested.close)
    const { receive } = memorySinks()
    const { sink } = await tested.client.download(downloadArchivedFile, {
      url: `${own.url}/v2/f`,
      receive,
    })
    expect(sink.bytes().toString()).toBe('a file')
    expect(tested.governor.stats().MEDIUM.rateLimited).toBe(0)
  })
})
