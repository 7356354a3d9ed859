import { describe, expect, it } from 'vitest'
import { createTokenEndpoint } from '../../src/api/auth/token-endpoint.ts'
import { openPool } from '../../src/api/call/pools.ts'
import { mayMeanOne, meansRefused, meansWithheld } from '../../src/core/define/answer-meaning.ts'
import { ServiceError, TransportError } from '../../src/core/errors.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { downloadArchivedFile } from '../../src/resources/whiteboard-archives.ts'
import { getWhiteboardContent } from '../../src/resources/whiteboard-content.ts'
import { faultServer, send } from './fault-server.ts'
import { memorySinks } from './memory-sink.ts'
import { servedClient } from './served-client.ts'

const PAGE = '<!doctype html><title>Blocked</title>'
const html = (status: number) => send(status, PAGE, { 'content-type': 'text/html' })

describe('a refusal by a proxy', () => {
  it.each([
    ['a 403 with a page', html(403), 3],
    ['a 403 with a page that has no type', send(403, PAGE), 3],
    ['a 407', send(407, { code: 407, message: 'log in' }), 3],
    ['a 502 with a page', html(502), 8],
    ['a 503 with a page', html(503), 8],
  ])('is retried, and not attributed to the account: %s', async (_name, answer, tries) => {
    const { client, server } = await servedClient([answer])
    const error: unknown = await client
      .fetchDetail(getWhiteboardContent, { path: { whiteboardId: 'w' } })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TransportError)
    expect((error as Error).message).toContain('proxy')
    expect((error as Error).message).not.toContain('the app may use it')
    for (const means of [meansRefused, meansWithheld, mayMeanOne])
      expect(means(getWhiteboardContent, error)).toBe(false)
    expect(server.requests).toHaveLength(tries)
  })

  it('is not assumed if the service itself answers 403 with JSON or an empty body', async () => {
    for (const answer of [send(403, { code: 3, message: 'no' }), send(403, '')]) {
      const { fetch, server } = await servedClient([answer])
      expect(await fetch()).toBeInstanceOf(ServiceError)
      expect(server.requests).toHaveLength(1)
    }
  })

  it('during a file download is tried three times, and reported as the proxy’s', async () => {
    const { client, server } = await servedClient([html(403)])
    const request = { url: `${server.url}/f`, receive: memorySinks().receive }
    await expect(client.download(downloadArchivedFile, request)).rejects.toMatchObject({
      code: 'proxy_refused',
    })
    expect(server.requests).toHaveLength(3)
  })

  it('at the token server is reported as the proxy’s, and is retryable', async () => {
    const server = await faultServer(html(403))
    const pool = openPool(server.url, { connectTimeoutMs: 1_000, connections: 1 })
    const limits = { headersTimeoutMs: 2_000, totalTimeoutMs: 2_000, maxBodyBytes: 10_000 }
    const app = { authUrl: server.url, clientId: 'c', clientSecret: 's' }
    const endpoint = createTokenEndpoint(app, { pool, clock: systemClock }, limits)
    await expect(endpoint.grant('account_credentials')).rejects.toMatchObject({
      code: 'proxy_refused',
      retry: { kind: 'backoff' },
    })
    await pool.destroy()
    await server.close()
  })
})

describe('a refused token with a wrong clock', () => {
  const refusal = (offMs: number) =>
    send(
      401,
      { code: 124, message: 'Invalid access token.' },
      { date: new Date(Date.UTC(2026, 4, 4, 12) + offMs).toUTCString() },
    )

  it.each([
    [-2 * 3_600_000 - 180_000, 'is 2 h 3 min ahead of the service'],
    [26 * 3_600_000, 'is 26 h behind the service'],
    [-90_000, 'is 90 s ahead of the service'],
  ])('reports the difference and a remedy: %i ms', async (offMs, words) => {
    const { fetch } = await servedClient([refusal(offMs)])
    const { message } = (await fetch()) as unknown as Error
    expect(message).toContain(`the clock of this machine ${words}`)
    expect(message).toContain('synchronize the clock of this machine')
  })

  it('does not mention the clock if it is correct', async () => {
    const { fetch } = await servedClient([refusal(2_000)])
    expect(((await fetch()) as unknown as Error).message).not.toContain('clock')
  })
})
