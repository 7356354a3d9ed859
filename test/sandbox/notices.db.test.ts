import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { TINY } from '../helpers/world.ts'

const NOW_MS = Date.parse('2026-07-08T02:30:00Z')
const MINUTE = 60_000

interface Heard {
  body: string
  headers: IncomingHttpHeaders
}

interface Counts {
  notices: number
  sent: number
  taken: number
  dropped: number
  waiting: number
}

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

describe('a notification of an office event', () => {
  it('is sent to a validated subscriber, and signed again at each attempt', async () => {
    const { sandbox, ask, heard, refuse } = await opened({ toldTwice: 0 })
    await ask('happen', { scenarios: ['signage'] })
    refuse(1)
    await ask('happen', { scenarios: ['sensors'] })
    await ask('clock', { advanceMs: 5 * MINUTE })
    const [, first, refused, again] = heard
    expect(heard).toHaveLength(4)
    expect(again?.body).toBe(refused?.body)
    expect(Number(again?.headers['x-svc-request-timestamp'])).toBe(sandbox.clock.now() / 1000)
    for (const { body, headers } of [first, refused, again].filter((one) => one !== undefined)) {
      const at = String(headers['x-svc-request-timestamp'])
      const mac = createHmac('sha256', 'hush').update(`v0:${at}:${body}`).digest('hex')
      expect(headers['x-svc-signature']).toBe(`v0=${mac}`)
      expect(headers['content-type']).toBe('application/json')
    }
  })

  it('is retried 5, 30 and 115 minutes after the first attempt, and then dropped', async () => {
    const { ask, heard, refuse } = await opened({ toldTwice: 0 })
    refuse(Number.POSITIVE_INFINITY)
    await ask('happen', { scenarios: ['signage'] })
    const tries = [heard.length]
    for (const minutes of [4, 1, 24, 1, 84, 1, 600]) {
      await ask('clock', { advanceMs: minutes * MINUTE })
      tries.push(heard.length)
    }
    expect(tries.map((count) => count - 1)).toEqual([1, 1, 2, 2, 3, 3, 4, 4])
    expect(await ask('notifications')).toMatchObject({ sent: 4, taken: 0, dropped: 1, waiting: 0 })
  })

  it('arrives at least once, sometimes twice and out of order, and is the same for equal seeds', async () => {
    const told = async (seed: number) => {
      const { ask, heard } = await opened({ seed, toldTwice: 0.3 })
      await ask('happen', { count: 12 })
      const counts = await ask<Counts>('notifications')
      expect(counts).toMatchObject({ taken: counts.sent, dropped: 0, waiting: 0 })
      const bodies = heard.slice(1).map(({ body }) => body)
      expect(bodies).toHaveLength(counts.sent)
      expect(new Set(bodies).size).toBe(counts.notices)
      expect(bodies.length).toBeGreaterThan(counts.notices)
      const times = bodies.map((body) => Date.parse(timeOf(body)))
      expect(times).not.toEqual(times.toSorted((a, b) => a - b))
      return bodies
    }
    const first = await told(7)
    expect(await told(7)).toEqual(first)
    expect(await told(8)).not.toEqual(first)
  })

  it('is sent only to the subscribers of its own account', async () => {
    const { ask, heard } = await opened({ accounts: [{}, {}], toldTwice: 0 })
    await ask('happen', { scenarios: ['room'], account: 'acct-2' })
    expect(heard).toHaveLength(1)
    await ask('happen', { scenarios: ['room'], account: 'acct-1' })
    expect(heard).toHaveLength(4)
  })
})

describe('a removed app', () => {
  it('triggers a notification, and its tokens stop working', async () => {
    const { sandbox, ask, heard } = await opened({ toldTwice: 0 })
    const token = await allowed(sandbox)
    const me = () =>
      fetch(`${sandbox.baseUrl}/users/me`, {
        headers: { authorization: `Bearer ${token.access_token}` },
      })
    expect((await me()).status).toBe(200)
    await ask('remove-app', { clientId: 'client-1' })
    expect([400, 401]).toContain((await me()).status)
    expect(
      (await grant(sandbox, { grant_type: 'refresh_token', refresh_token: token.refresh_token }))
        .status,
    ).toBe(400)
    expect(JSON.parse(heard.at(-1)?.body ?? '{}')).toMatchObject({
      event: 'app_deauthorized',
      event_ts: NOW_MS,
      payload: {
        account_id: 'acct-1',
        client_id: 'client-1',
        deauthorization_time: '2026-07-08T02:30:00.000Z',
      },
    })
  })
})

/** Starts a sandbox, and a subscriber that records the messages about the first account. */
async function opened(options: object) {
  const sandbox = await startSandbox({ nowMs: NOW_MS, sizes: TINY, ...options })
  open.push(sandbox)
  const heard: Heard[] = []
  let refusals = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      heard.push({ body, headers: request.headers })
      const { payload } = JSON.parse(body) as { payload: { plainToken?: string } }
      response.statusCode = payload.plainToken === undefined && refusals-- > 0 ? 500 : 200
      response.end(answerTo(payload.plainToken))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push({
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  })
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    return (await (await fetch(`${sandbox.url}/__sandbox/${path}`, init)).json()) as T
  }
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`
  expect(await ask('subscriptions', { url, secret: 'hush' })).toEqual({ confirmed: true })
  return { sandbox, ask, heard, refuse: (count: number) => void (refusals = count) }
}

function answerTo(plainToken: string | undefined): string {
  if (plainToken === undefined) return ''
  const encryptedToken = createHmac('sha256', 'hush').update(plainToken).digest('hex')
  return JSON.stringify({ plainToken, encryptedToken })
}

function timeOf(body: string): string {
  const { event_ts } = JSON.parse(body) as { event_ts: number | string }
  return typeof event_ts === 'number' ? new Date(event_ts).toISOString() : event_ts
}

async function allowed(sandbox: Sandbox): Promise<Record<string, string>> {
  const { redirectUrl } = sandbox.credentials[0]!
  const form = new URLSearchParams({
    decision: 'allow',
    response_type: 'code',
    client_id: 'client-1',
    redirect_uri: redirectUrl,
  })
  const page = await fetch(`${sandbox.authUrl}/oauth/authorize`, {
    method: 'POST',
    body: form,
    redirect: 'manual',
  })
  const code = new URL(page.headers.get('location') ?? redirectUrl).searchParams.get('code') ?? ''
  const answer = await grant(sandbox, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUrl,
  })
  return (await answer.json()) as Record<string, string>
}

async function grant(
  sandbox: Sandbox,
  fields: Record<string, string | undefined>,
): Promise<Response> {
  const given = Object.entries(fields).map(([name, value]): [string, string] => [name, value ?? ''])
  const basic = Buffer.from('client-1:client-secret-1').toString('base64')
  return await fetch(`${sandbox.authUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams(given),
  })
}
