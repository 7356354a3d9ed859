import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentObserver } from '../../src/core/define/observer.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { listen } from '../../src/serve/notifications/notifications.ts'
import { NOW_MS, openStage, SECRETS, type Stage, send, signed } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const event = { event: 'svcroom.created', event_ts: NOW_MS, payload: { object: { id: 'r' } } }
const body = JSON.stringify(event)
const digest = signed(body)['x-svc-signature']
const header = (value: string) => ({ headers: { 'x-svc-signature': value } })

describe('a request is refused, and nothing of it is stored,', () => {
  it.each([
    ['with a wrong secret', { secret: 'third-secret' }],
    ['without a signature', header('')],
    ['with a short signature', header(digest.slice(0, -2))],
    ['with a signature that is not hexadecimal', header(`v0=${'z'.repeat(64)}`)],
    ['with a signature in capitals', header(digest.toUpperCase().replace('V0', 'v0'))],
    ['with another version', header(digest.replace('v0=', 'v1='))],
    ['with a signature of another body', header(signed('{}')['x-svc-signature'])],
    ['without a time', { headers: { 'x-svc-request-timestamp': '' } }],
    ['with an invalid time', { headers: { 'x-svc-request-timestamp': '1e9' } }],
    [
      'with another time than the signed one',
      { headers: { 'x-svc-request-timestamp': String(NOW_MS / 1000 + 1) } },
    ],
    ['that was signed 301 s ago', { atMs: NOW_MS - 301_000 }],
    ['that was signed 301 s in the future', { atMs: NOW_MS + 301_000 }],
  ])('%s', async (_what, sending) => {
    expect(await send(stage.address(), body, sending)).toEqual({ status: 401, text: '' })
    expect(await stage.stored()).toEqual([])
  })

  it('with any byte of it changed', async () => {
    for (let at = 0; at < body.length; at += 7) {
      const other = Buffer.from(body)
      other[at] = (other[at] ?? 0) ^ 1
      const answer = await send(stage.address(), new Uint8Array(other), { headers: signed(body) })
      expect(answer.status).toBe(401)
    }
    expect(await stage.stored()).toEqual([])
  })

  it('if it has another content type or encoding, is too large, or has another path', async () => {
    const sent = (
      headers: Record<string, string>,
      bytes: string | Uint8Array<ArrayBuffer> = body,
    ) => send(stage.address(), bytes, { headers }).then(({ status }) => status)
    expect(await sent({ 'content-type': 'text/plain' })).toBe(415)
    expect(await sent({ 'content-encoding': 'gzip' })).toBe(415)
    expect(await sent({ 'content-type': 'application/json; charset=utf-8' })).toBe(200)
    expect(await sent({}, new Uint8Array(2 ** 18 + 1))).toBe(413)
    const stream = new Blob([new Uint8Array(2 ** 19)]).stream()
    const streamed = await fetch(stage.address(), {
      method: 'POST',
      headers: signed(body),
      body: stream,
      duplex: 'half',
    }).then(
      ({ status }) => status,
      () => 413,
    )
    expect(streamed).toBe(413)
    expect((await fetch(stage.address())).status).toBe(404)
    expect((await send(`${stage.address()}9`, body)).status).toBe(404)
    expect(await stage.stored()).toHaveLength(1)
  })
})

describe('a request that was signed', () => {
  it.each([-300, -299, 299, 300])(
    'is accepted if its time differs from our clock by %i s',
    async (seconds) => {
      const other = { ...event, payload: { object: { id: `r${seconds}` } } }
      const answer = await send(stage.address(), other, { atMs: NOW_MS + seconds * 1000 })
      expect(answer.status).toBe(200)
    },
  )

  it('is accepted under the configured headers, with any version that its signature covers', async () => {
    const taken: string[] = []
    const other = await listen({
      setting: 'notifications',
      host: '127.0.0.1',
      port: 0,
      path: '/told',
      maxBodyBytes: 4096,
      clock: { ...systemClock, now: () => NOW_MS },
      observer: silentObserver,
      endpoints: [
        {
          account: 'main',
          secrets: ['s'],
          headerOf: (name) => (name === 'x-svc-signature' ? 'x-sig' : 'x-at'),
          receive: (bytes) => {
            taken.push(Buffer.from(bytes).toString())
            return Promise.resolve('stored')
          },
        },
      ],
    })
    const at = String(NOW_MS / 1000)
    const mac = createHmac('sha256', 's').update(`v9:${at}:${body}`).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-sig': `v9=${mac}`, 'x-at': at }
    const answer = await fetch(`${other.url}/told/main`, { method: 'POST', headers, body })
    expect(answer.status).toBe(200)
    expect(taken).toEqual([body])
    await other.close()
  })
})

describe('the service’s challenge', () => {
  const challenge = (plainToken: unknown) => ({
    event: 'endpoint.url_validation',
    event_ts: NOW_MS,
    payload: { plainToken },
  })

  it.each(['abc-DEF_123', 'aB+/9w==', 'a.b~c'])(
    'is answered with the token %s and its HMAC, and is not stored',
    async (plainToken) => {
      const before = await stage.stored()
      for (const secret of SECRETS) {
        const { status, text } = await send(stage.address(), challenge(plainToken), { secret })
        expect(status).toBe(200)
        const encryptedToken = createHmac('sha256', secret).update(plainToken).digest('hex')
        expect(JSON.parse(text)).toEqual({ plainToken, encryptedToken })
      }
      expect(await stage.stored()).toEqual(before)
    },
  )

  it.each(['v0:1783477800:{"event":"x"}', 'v0:', '', 'a'.repeat(257), 'a b', 7, undefined])(
    'is not answered if its token is invalid or could make the answer a signature: %j',
    async (token) => {
      expect(await send(stage.address(), challenge(token))).toEqual({ status: 400, text: '' })
    },
  )

  it('is not answered if the sender does not know the secret', async () => {
    const answer = await send(stage.address(), challenge('abc'), { secret: 'no' })
    expect(answer).toEqual({ status: 401, text: '' })
  })
})
