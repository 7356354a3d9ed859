import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { CallsheetError } from '../../src/core/errors.ts'
import type { ReadPage } from './client-under-test.ts'
import { type Answer, JSON_TYPE, page, send } from './fault-server.ts'
import { servedClient } from './served-client.ts'

const GOOD = page({ id: 'u1' })
const JSON_200 = (body: string | Buffer, headers = {}): Answer =>
  send(200, body, { ...JSON_TYPE, ...headers })

async function fetchUsers(...answers: Answer[]) {
  const { fetch, server } = await servedClient(answers, { limits: { maxBodyBytes: 100_000 } })
  return { result: await fetch(), server }
}

describe('a redirect of an API call', () => {
  it.each([301, 302, 307, 308])(
    'with %s is not followed, and the error names its target',
    async (status) => {
      const moved = (location: string) => send(status, '', { location })
      const wanted = 'https://api.example.org/svc/v2/users?page_size=300&access_token=secret'
      const { result, server } = await fetchUsers(moved(wanted), GOOD)
      const said = (result as CallsheetError).message
      expect(said).toContain(`HTTP ${status} to https://api.example.org/svc/v2`)
      expect(said).toContain('set baseUrl to https://api.example.org/svc/v2')
      expect(said).not.toMatch(/secret|page_size|users\?/)
      expect(server.requests).toHaveLength(1)
      const other = await fetchUsers(moved('https://elsewhere.example.org/login/u123'), GOOD)
      expect((other.result as CallsheetError).message).toContain(
        'to https://elsewhere.example.org (',
      )
      const none = await fetchUsers(send(status), GOOD)
      expect((none.result as CallsheetError).message).toContain(`HTTP ${status} without an address`)
    },
  )
})

describe('a content-encoding', () => {
  const users = '{"users":[{"id":"u1"}],"next_page_token":""}'
  it.each([
    ['with an unknown name', users, 'utf-8'],
    ['of "none"', users, 'none'],
    ['of identity, twice', users, 'identity, identity'],
    ['of gzip with plain JSON', users, 'gzip'],
    ['with several names, one of them gzip,', gzipSync(users), 'identity, GZIP'],
    ['that is missing for gzip bytes', gzipSync(users), ''],
    ['with an unknown name for gzip bytes', gzipSync(users), 'utf8'],
    ['of deflate', deflateSync(users), 'deflate'],
    ['of br', brotliCompressSync(users), 'br'],
  ])('%s is accepted', async (_name, body, encoding) => {
    const headers = encoding === '' ? {} : { 'content-encoding': encoding }
    const { result, server } = await fetchUsers(JSON_200(body, headers))
    expect((result as ReadPage).records).toEqual([{ id: 'u1' }])
    expect(server.requests).toHaveLength(1)
  })

  it.each(['zstd', 'gzip, gzip'])('of %s is refused at once', async (encoding) => {
    const { result, server } = await fetchUsers(JSON_200('x', { 'content-encoding': encoding }))
    expect((result as CallsheetError).message).toContain('encoding')
    expect(server.requests).toHaveLength(1)
  })

  it('of br is decompressed only up to the limit', async () => {
    const bomb = brotliCompressSync(Buffer.alloc(5_000_000))
    const { result } = await fetchUsers(JSON_200(bomb, { 'content-encoding': 'br' }))
    expect(result).toMatchObject({ code: 'body_too_large' })
  })
})
