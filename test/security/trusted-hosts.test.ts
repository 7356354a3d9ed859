import type { IncomingHttpHeaders } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { ClientOptions } from '../../src/api/client.ts'
import type { FileCredential, FileHost } from '../../src/core/define/file-host.ts'
import type { Operation } from '../../src/core/define/operation.ts'
import type { CallsheetError } from '../../src/core/errors.ts'
import { downloadRecordingFile } from '../../src/resources/recording-downloads.ts'
import { downloadArchivedFile } from '../../src/resources/whiteboard-archives.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { memorySinks } from '../api/memory-sink.ts'
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

const FILE: Said = { status: 200, body: 'a file' }
const bearerOf = (value: string) => {
  const current = async () => ({ value, version: 1 })
  return { current, replace: current }
}
const authorities = { oauth: bearerOf('canary-oauth'), jwt: bearerOf('canary-jwt') }

interface Fetch {
  api: string
  url: string
  hosts: readonly FileHost[]
  options?: Partial<ClientOptions>
  downloadToken?: string
}

async function download(operation: Operation, { api, url, hosts, downloadToken, options }: Fetch) {
  const tested = clientUnderTest(`${api}/v2`, { authorities, fileHosts: hosts, ...options })
  closers.push(tested.close)
  const { receive } = memorySinks()
  return await tested.client.download(operation, { url, receive, downloadToken }).then(
    ({ sink }) => sink.bytes().toString(),
    (error: unknown) => error as CallsheetError,
  )
}

const sent = ({ requests }: Awaited<ReturnType<typeof origin>>) =>
  requests.map(({ path, headers }) => [headers.authorization, path])
const trust = (port: number, credential: FileCredential): FileHost => ({
  host: `127.0.0.1:${port}`,
  credential,
})

describe('a file host trusted with a credential', () => {
  it.each([
    ['account', downloadArchivedFile, [['Bearer canary-oauth', '/f?s=1']]],
    ['jwt', downloadRecordingFile, [['Bearer canary-jwt', '/f?s=1']]],
    ['jwt-in-query', downloadRecordingFile, [[undefined, '/f?s=1&access_token=canary-jwt']]],
    ['download-token', downloadRecordingFile, [['Bearer its-own', '/f?s=1']]],
  ] as const)(
    'receives that credential and no other: %s',
    async (credential, operation, requests) => {
      const api = await origin(() => FILE)
      const other = await origin(() => FILE)
      const hosts = [trust(other.port, credential)]
      const url = `${other.url}/f?s=1`
      expect(
        await download(operation, { api: api.url, url, hosts, downloadToken: 'its-own' }),
      ).toBe('a file')
      expect(sent(other)).toEqual(requests)
      expect(api.requests).toEqual([])
    },
  )

  it('gets the JWT in the query for a password-protected recording', async () => {
    const api = await origin(() => FILE)
    const other = await origin((_headers, path) =>
      path.includes('access_token=') ? FILE : { status: 403 },
    )
    const order = { api: api.url, url: `${other.url}/f`, hosts: [trust(other.port, 'jwt')] }
    expect(await download(downloadRecordingFile, order)).toBe('a file')
    expect(sent(other)).toEqual([
      ['Bearer canary-jwt', '/f'],
      ['Bearer canary-jwt', '/f?access_token=canary-jwt'],
    ])
  })

  it('gets a recording’s download token in the query if it refuses the header', async () => {
    const api = await origin(() => FILE)
    const other = await origin(({ authorization }, path) =>
      authorization === undefined && path.endsWith('access_token=its-own') ? FILE : { status: 401 },
    )
    const hosts = [trust(other.port, 'download-token')]
    const order = { api: api.url, url: `${other.url}/f`, hosts, downloadToken: 'its-own' }
    expect(await download(downloadRecordingFile, order)).toBe('a file')
    expect(JSON.stringify(other.requests)).not.toContain('canary')
  })

  it.each([
    ['account', downloadRecordingFile],
    ['jwt', downloadArchivedFile],
    ['jwt-in-query', downloadArchivedFile],
    ['download-token', downloadArchivedFile],
  ] as const)('gets no token for files of another kind: %s', async (credential, operation) => {
    const api = await origin(() => FILE)
    const other = await origin(() => FILE)
    const hosts = [trust(other.port, credential)]
    const order = { api: api.url, url: `${other.url}/f`, hosts, downloadToken: 'its-own' }
    await download(operation, order)
    expect(JSON.stringify(other.requests)).not.toMatch(/canary|its-own/)
    expect(other.requests).toHaveLength(1)
  })

  it('is not trusted at another port or under another name', async () => {
    const api = await origin(() => FILE)
    const [other, trusted] = [await origin(() => FILE), await origin(() => FILE)]
    const hosts = [trust(trusted.port, 'account'), `127.0.0.1:${other.port}`]
    const order = { api: api.url, hosts }
    await download(downloadArchivedFile, { ...order, url: `${other.url}/f` })
    expect(sent(other)).toEqual([[undefined, '/f']])
    const url = `http://localhost:${trusted.port}/f`
    expect(await download(downloadArchivedFile, { ...order, url })).toMatchObject({
      code: 'address_refused',
    })
    expect(trusted.requests).toEqual([])
  })

  it('gets no credential through a redirect, and passes none on', async () => {
    const third = await origin(() => FILE)
    const trusted = await origin((_headers, path) =>
      path === '/f' ? { status: 302, location: `${third.url}/t` } : FILE,
    )
    const api = await origin(() => ({ status: 302, location: `${trusted.url}/led` }))
    const hosts = [trust(trusted.port, 'account'), trust(third.port, 'account')]
    await download(downloadArchivedFile, { api: api.url, url: `${api.url}/v2/f`, hosts })
    await download(downloadArchivedFile, { api: api.url, url: `${trusted.url}/f`, hosts })
    expect(sent(trusted)).toEqual([
      [undefined, '/led'],
      ['Bearer canary-oauth', '/f'],
    ])
    expect(sent(third)).toEqual([[undefined, '/t']])
  })

  it('is reached only over https', async () => {
    const hosts = [{ host: 'files.svc.example', credential: 'account' } as const]
    const order = { api: 'https://api.svc.example', hosts }
    const url = 'http://files.svc.example/f'
    expect(await download(downloadArchivedFile, { ...order, url })).toMatchObject({
      code: 'address_refused',
    })
  })
})

describe('an error from another host', () => {
  const refused = async (operation: Operation, credentials: FileCredential[], said: Said) => {
    const api = await origin(() => FILE)
    const other = await origin(() => said)
    const host = `127.0.0.1:${other.port}`
    const hosts = [host, ...credentials.map((credential) => trust(other.port, credential))]
    const order = { api: api.url, url: `${other.url}/f?signature=s`, hosts }
    const error = await download(operation, order)
    return { host, error: error as CallsheetError }
  }

  it.each([
    ['account', downloadArchivedFile, 401],
    ['account', downloadArchivedFile, 403],
    ['jwt or jwt-in-query or download-token', downloadRecordingFile, 403],
    ['account', downloadArchivedFile, 404],
  ])(
    'names the host, the setting and the reason if no token was sent: %s',
    async (fits, operation, status) => {
      const { host, error } = await refused(operation, [], { status })
      expect(error.facts.came).toContain(`from ${host}, which received no token`)
      expect(error.facts.todo).toContain(`archive.hosts: {host: ${host}, credential: ${fits}}`)
      expect(error.message).not.toContain('signature')
    },
  )

  it('names the credential that was sent', async () => {
    const { host, error } = await refused(downloadArchivedFile, ['account'], { status: 403 })
    expect(error.facts.came).toContain(`HTTP 403, from ${host}`)
    expect(error.facts.came).toContain('the credential in archive.hosts (account)')
  })

  it('counts as proof that a file is gone only if the host is trusted', async () => {
    const gone = { status: 404, body: '{"code":34000,"message":"canary"}' }
    const [bare, trusted] = [
      await refused(downloadArchivedFile, [], gone),
      await refused(downloadArchivedFile, ['account'], gone),
    ]
    expect(bare.error).toMatchObject({ status: 404, serviceCode: undefined })
    expect(trusted.error).toMatchObject({ status: 404, serviceCode: '34000' })
    expect(trusted.error.message).not.toContain('canary')
  })

  it('names the required setting if the host is not allowed', async () => {
    const api = await origin(() => FILE)
    const order = { api: api.url, url: 'http://127.0.0.1:1/f', hosts: [] }
    const error = (await download(downloadArchivedFile, order)) as CallsheetError
    expect(error.facts.came).toContain('the configuration does not allow the host 127.0.0.1:1')
    expect(error.facts.todo).toContain('archive.hosts')
    expect(error.facts.todo).toContain('credential')
  })
})
