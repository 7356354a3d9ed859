import type { IncomingHttpHeaders } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { ClientOptions } from '../../src/api/client.ts'
import type { CallsheetError } from '../../src/core/errors.ts'
import { downloadRecordingFile } from '../../src/resources/recording-downloads.ts'
import { downloadArchivedFile } from '../../src/resources/whiteboard-archives.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { faultServer, send } from '../api/fault-server.ts'
import { memorySinks } from '../api/memory-sink.ts'
import { openOrigin, type Said } from './open-origin.ts'

const JWT = 'canaryhead0.canarybody1.canarysign2'
const jwt = async () => ({ value: JWT, version: 1 })
const bearer = { current: jwt, replace: jwt }
const oauth = async () => ({ value: 'canary-account-token', version: 1 })
const account = { current: oauth, replace: oauth }

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function origin(answer: (headers: IncomingHttpHeaders, path: string) => Said) {
  const opened = await openOrigin(answer)
  closers.push(opened.close)
  return opened
}

/** Fetches with both tokens, and notes all that is said of it. */
async function download(
  baseUrl: string,
  url: string,
  { operation = downloadRecordingFile, isProtected = false, ...options }: Options = {},
) {
  const events: unknown[] = []
  const observer = { event: (...said: unknown[]) => void events.push(said) }
  const authorities = { oauth: account, jwt: bearer }
  const tested = clientUnderTest(baseUrl, { authorities, observer, ...options })
  closers.push(tested.close)
  const { receive } = memorySinks()
  const came = await tested.client.download(operation, { url, receive, isProtected }).then(
    ({ sink, isProtected: found }) => ({ bytes: sink.bytes().toString(), isProtected: found }),
    (error: unknown) => error as CallsheetError,
  )
  expect(events.length).toBeGreaterThan(0)
  expect(JSON.stringify(events)).not.toMatch(/canary|access_token/)
  return came
}

type Options = Partial<ClientOptions> & {
  operation?: typeof downloadRecordingFile | typeof downloadArchivedFile
  isProtected?: boolean
}

const shown = (path: string): boolean => path.includes(`access_token=${JWT}`)
const onlyShown = (_headers: unknown, path: string): Said =>
  shown(path) ? { status: 200, body: 'a file' } : { status: 403, body: '{"code":403}' }

describe('a password-protected recording', () => {
  it.each([
    ['a 403', send(403, { code: 403, message: 'no' })],
    ['a 401', send(401, { code: 124, message: 'no' })],
    ['a page that asks for the password', send(200, '<html>', { 'content-type': 'text/html' })],
    ['an error inside a 200', send(200, { code: 200, message: 'You have no right' })],
    [
      'a redirect to a page of another host',
      send(302, '', { location: 'https://svc.example/ask' }),
    ],
  ])('is requested with the JWT in the query after %s', async (_name, refusal) => {
    const server = await faultServer(refusal, send(200, 'a file'))
    closers.push(server.close)
    const came = await download(server.url, `${server.url}/f?a=%2Fb&signature=s`)
    expect(came).toMatchObject({ bytes: 'a file', isProtected: true })
    expect(server.requests.map(({ path, bearer: sent }) => [path, sent])).toEqual([
      ['/v2/f?a=%2Fb&signature=s', `Bearer ${JWT}`],
      [`/v2/f?a=%2Fb&signature=s&access_token=${JWT}`, `Bearer ${JWT}`],
    ])
  })

  it('is requested with the JWT in the query at once if it is known to be protected', async () => {
    const own = await origin(onlyShown)
    const url = `${own.url}/v2/f`
    const known = await download(`${own.url}/v2`, url, { isProtected: true })
    expect(known).toMatchObject({ bytes: 'a file', isProtected: true })
    expect(own.requests.map(({ path }) => path)).toEqual([`/v2/f?access_token=${JWT}`])
  })

  it('fails if the JWT is refused too, and the error does not contain the JWT', async () => {
    const own = await origin((_headers, path) => ({
      status: 403,
      body: JSON.stringify({ code: 403, message: `The user may not read ${path} or ${JWT}` }),
    }))
    const error = await download(`${own.url}/v2`, `${own.url}/v2/f?signature=canary5`)
    expect(error).toMatchObject({ status: 403 })
    expect(own.requests).toHaveLength(2)
    const { message, facts, stack, cause } = error as CallsheetError
    expect(JSON.stringify([message, facts, stack, String(cause)])).not.toContain('canary')
  })

  it('does not renew the token if both requests get a 401', async () => {
    const own = await origin(() => ({ status: 401, body: '{"code":124}' }))
    const error = await download(`${own.url}/v2`, `${own.url}/v2/f`)
    expect(error).toMatchObject({ status: 403, serviceCode: '124', verdict: { kind: 'never' } })
    expect(own.requests).toHaveLength(2)
  })

  it('keeps the JWT out of the error if the connection breaks', async () => {
    const reset = (request: { socket: { resetAndDestroy(): unknown } }) =>
      void request.socket.resetAndDestroy()
    const server = await faultServer(send(403, {}), reset)
    closers.push(server.close)
    const error = (await download(server.url, `${server.url}/f`)) as CallsheetError
    expect(error.code).toBe('network')
    const { message, facts, stack, cause } = error
    expect(JSON.stringify([message, facts, stack, cause, String(cause)])).not.toContain('canary')
    expect(server.requests.some(({ path }) => shown(path))).toBe(true)
  })
})

describe('the JWT in a query', () => {
  it('is sent to no other origin, even if a redirect repeats it', async () => {
    const second = await origin(() => ({ status: 200, body: 'a file' }))
    const own = await origin((headers, path) =>
      shown(path)
        ? { status: 302, location: `${second.url}/f?Access%5FToken=${JWT}&access_token=${JWT}&s=1` }
        : onlyShown(headers, path),
    )
    const fileHosts = [`127.0.0.1:${second.port}`]
    const came = await download(`${own.url}/v2`, `${own.url}/v2/f`, { fileHosts })
    expect(came).toMatchObject({ bytes: 'a file' })
    expect(second.requests.map(({ path }) => path)).toEqual(['/f?s=1'])
    expect(JSON.stringify(second.requests)).not.toContain('canary')
  })

  it.each([
    ['in the path', `/${JWT}/f`],
    ['in another parameter', `/f?back=%2Fv2%2Ff%3Faccess_token%3D${JWT}`],
  ])('is not passed on %s by a redirect', async (_name, rest) => {
    const second = await origin(() => ({ status: 200, body: 'a file' }))
    const own = await origin(() => ({ status: 302, location: `${second.url}${rest}` }))
    const fileHosts = [`127.0.0.1:${second.port}`]
    const error = await download(`${own.url}/v2`, `${own.url}/v2/f`, { fileHosts })
    expect(error).toMatchObject({ code: 'address_refused' })
    expect((error as CallsheetError).message).not.toContain('canary')
    expect(second.requests).toEqual([])
  })

  it('follows a redirect within the API, and replaces a token in its query', async () => {
    const own = await origin((_headers, path) =>
      path.startsWith('/v2/b')
        ? onlyShown(undefined, path)
        : { status: 302, location: '/v2/b?access_token=old&s=1' },
    )
    expect(await download(`${own.url}/v2`, `${own.url}/v2/a`)).toMatchObject({ bytes: 'a file' })
    expect(own.requests.at(-1)?.path).toBe(`/v2/b?s=1&access_token=${JWT}`)
  })

  it('is not added to a file address at another origin', async () => {
    const second = await origin(() => ({ status: 403, body: '{}' }))
    const own = await origin(() => ({ status: 200, body: '' }))
    const fileHosts = [`127.0.0.1:${second.port}`]
    for (const isProtected of [false, true]) {
      const options = { fileHosts, isProtected }
      const error = await download(`${own.url}/v2`, `${second.url}/f`, options)
      expect(error).toMatchObject({ status: 403 })
    }
    expect(second.requests.map(({ path }) => path)).toEqual(['/f', '/f'])
    expect(JSON.stringify(second.requests)).not.toContain('canary')
  })

  it('is never the account’s token, and is never sent for other kinds of files', async () => {
    const own = await origin(() => ({ status: 403, body: '{}' }))
    const [base, url] = [`${own.url}/v2`, `${own.url}/v2/f`]
    const without = { authorities: { oauth: account }, isProtected: true }
    expect(await download(base, url, without)).toMatchObject({ status: 403 })
    const other = { operation: downloadArchivedFile, isProtected: true }
    expect(await download(base, url, other)).toMatchObject({ status: 403 })
    expect(own.requests.map(({ path }) => path)).toEqual(['/v2/f', '/v2/f'])
  })
})
