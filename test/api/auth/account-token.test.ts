import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { createAccountToken } from '../../../src/api/auth/account-token.ts'
import { openAuthorities } from '../../../src/api/auth/authorities.ts'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { AuthenticationError, TransportError } from '../../../src/core/errors.ts'
import { type ManualClock, manualClock } from '../../helpers/manual-clock.ts'
import { type Answer, faultServer, send } from '../fault-server.ts'
import { memoryTokens, SERVER_APP } from '../memory-stores.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A token server that answers after a second, and three processes that share one store. */
function tokenWorld() {
  const clock = manualClock(Date.UTC(2026, 4, 4))
  const store = memoryTokens(clock)
  const world = { issued: 0, failing: false }
  const request = async () => {
    await clock.sleep(1_000)
    if (world.failing) throw new TransportError('token_server', true, { tried: 'x', came: 'y' })
    world.issued++
    return { accessToken: `t${world.issued}`, expiresInSeconds: 3600, scope: [] }
  }
  const options = { store, clock, observer: silentObserver, request, loginWith: 'callsheet login' }
  const [a, b, c] = [
    createAccountToken(options),
    createAccountToken(options),
    createAccountToken(options),
  ] as const
  return { clock, store, world, a, b, bearers: [a, b, c] }
}

async function passing<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  const state = { done: false }
  const settled = promise.finally(() => {
    state.done = true
  })
  settled.catch(() => {})
  for (let step = 0; !state.done && step < 2_000; step++) await clock.advance(100)
  return settled
}

describe('the account token', () => {
  it('is requested once for many calls in many processes', async () => {
    const { clock, world, bearers } = tokenWorld()
    const calls = bearers.flatMap((bearer) => [bearer.current(), bearer.current()])
    const tokens = await passing(clock, Promise.all(calls))
    expect(new Set(tokens.map(({ value }) => value))).toEqual(new Set(['t1']))
    expect(world.issued).toBe(1)
  })

  it('is renewed once for many refusals, in one process and in several', async () => {
    const { clock, world, bearers } = tokenWorld()
    await passing(clock, Promise.all(bearers.map((bearer) => bearer.current())))
    const refused = bearers.flatMap((bearer) => [1, 2, 3].map(() => bearer.replace(1, true)))
    const tokens = await passing(clock, Promise.all(refused))
    expect(tokens.every(({ value }) => value === 't2')).toBe(true)
    expect(world.issued).toBe(2)
  })

  it('is read from the store if another process has already renewed it', async () => {
    const { clock, world, a, b } = tokenWorld()
    await passing(clock, Promise.all([a.current(), b.current()]))
    await passing(clock, a.replace(1, true))
    expect(await b.replace(1, true)).toMatchObject({ value: 't2', version: 2 })
    expect(world.issued).toBe(2)
  })

  it('is renewed before it expires', async () => {
    const { clock, a } = tokenWorld()
    await passing(clock, a.current())
    await clock.advance(3_590_000)
    const token = await passing(clock, a.current())
    expect(token).toMatchObject({ value: 't2', version: 2 })
  })

  it('is renewed by another process once the claim of a dead process expires', async () => {
    const { clock, store, world, a } = tokenWorld()
    await store.claimRenewal(0, 30_000)
    const token = await passing(clock, a.current())
    expect(token).toMatchObject({ value: 't1', version: 1 })
    expect(clock.elapsed()).toBeGreaterThanOrEqual(30_000)
    expect(world.issued).toBe(1)
  })

  it('is renewed by the next process within five seconds if a renewal fails', async () => {
    const { clock, world, a, b } = tokenWorld()
    world.failing = true
    await expect(passing(clock, a.current())).rejects.toBeInstanceOf(TransportError)
    world.failing = false
    expect(await passing(clock, b.current())).toMatchObject({ value: 't1' })
    expect(clock.elapsed()).toBeLessThan(5_000)
  })

  it('is renewed more and more slowly, with a warning, if it is invalidated repeatedly', async () => {
    const { clock, a, b } = tokenWorld()
    await passing(clock, a.current())
    const waits: number[] = []
    for (let version = 1; version < 9; version++) {
      const before = clock.elapsed()
      expect(await passing(clock, a.replace(version, true))).toMatchObject({ version: version + 1 })
      waits.push(Math.round((clock.elapsed() - before) / 1_000))
    }
    // Each wait includes one second of the token server.
    expect(waits).toEqual([1, 1, 1, 2, 3, 5, 6, 6])
    expect(a.remark?.()).toContain('another program uses this app: 8 tokens')
    // A token that another process has renewed is taken from the store, without a pause or a remark.
    expect(await passing(clock, b.replace(1, true))).toMatchObject({ version: 9 })
    expect(b.remark?.()).toBeUndefined()
    await clock.advance(121_000)
    await passing(clock, a.replace(9, true))
    expect(clock.elapsed()).toBeLessThan(
      121_000 + waits.reduce((sum, wait) => sum + wait, 0) * 1_000 + 5_000,
    )
  })

  it('is renewed without a warning if calls never worked, or tokens end minutes apart', async () => {
    const { clock, a } = tokenWorld()
    await passing(clock, a.current())
    for (let version = 1; version < 6; version++) {
      await passing(clock, a.replace(version, version % 2 === 0))
      await clock.advance(61_000)
    }
    expect(await a.current()).toMatchObject({ version: 6 })
    expect(a.remark?.()).toBeUndefined()
  })
})

const SECRET = 'very~secret_value-1'

async function authorities(...answers: Answer[]) {
  const bodies: string[] = []
  const recorded = answers.map(
    (answer): Answer =>
      (request, response) => {
        request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()))
        request.on('end', () => answer(request, response))
      },
  )
  const server = await faultServer(...recorded)
  const clock = manualClock(Date.UTC(2026, 4, 4))
  const opened = openAuthorities({
    credentials: {
      authUrl: server.url.replace('/v2', ''),
      clientId: 'client-1',
      clientSecret: SECRET,
    },
    ...SERVER_APP,
    accountId: 'acc',
    sessionJwt: { apiKey: 'key', apiSecret: 'a'.repeat(32) },
    store: memoryTokens(clock),
    clock,
    observer: silentObserver,
  })
  closers.push(opened.close, server.close)
  return { ...opened, server, bodies, clock }
}

describe('the token request', () => {
  it('is a form with a plain Basic header', async () => {
    const granted = { access_token: 'T', token_type: 'bearer', expires_in: 3599, scope: 'a:b c:d' }
    const { oauth, server, bodies } = await authorities(send(200, granted))
    expect(await oauth.current()).toEqual({ value: 'T', version: 1, scopes: ['a:b', 'c:d'] })
    expect(server.requests[0]).toMatchObject({
      path: '/oauth/token',
      bearer: `Basic ${Buffer.from(`client-1:${SECRET}`).toString('base64')}`,
    })
    expect(bodies).toEqual(['account_id=acc&grant_type=account_credentials'])
  })

  it.each([
    [
      'a wrong secret',
      send(400, { reason: 'Invalid client', error: 'invalid_client' }),
      'client secret is wrong',
    ],
    ['a wrong account', send(400, { error: 'invalid_grant' }), 'does not belong'],
    ['another kind of app', send(400, { error: 'unsupported_grant_type' }), 'server-to-server'],
    [
      'an unknown error code',
      send(400, { reason: `secret ${SECRET}`, error: 'strange_thing' }),
      'strange_thing',
    ],
    ['an empty 401', send(401), 'HTTP 401'],
    ['a redirect', send(302, '', { location: 'http://127.0.0.1:1/' }), 'HTTP 302'],
  ])(
    'that is answered with %s fails at once with the cause, and without the secret',
    async (_name, answer, said) => {
      const { oauth, server } = await authorities(answer)
      const error = await oauth.current().catch((caught: unknown) => caught as AuthenticationError)
      expect(error).toBeInstanceOf(AuthenticationError)
      expect((error as AuthenticationError).message).toContain(said)
      expect((error as AuthenticationError).exitCode).toBe(1)
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(SECRET)
      expect(server.requests).toHaveLength(1)
    },
  )

  it.each([
    ['invalid_client', ['clientId', 'clientSecret']],
    ['invalid_grant', ['accountId']],
    ['invalid_request', ['accountId', 'clientId', 'clientSecret']],
  ])('that fails with %s names the configured settings to check', async (word, settings) => {
    const { oauth } = await authorities(send(400, { error: word }))
    const error = (await oauth.current().catch((caught: unknown) => caught)) as AuthenticationError
    const [, todo = ''] = error.message.split('What to do: ')
    expect(todo.match(/\b[a-z]+(_[a-z]+|[A-Z][a-z]+)\b/g)).toEqual(settings)
    const example = readFileSync('config.example.yaml', 'utf8')
    for (const name of settings) expect(example).toContain(`${name}:`)
  })

  it.each([
    ['0', 0],
    ['1', 1],
    ['missing', undefined],
    ['10^12', 1e12],
    ['"3600"', '3600'],
  ])(
    'T5 is sent once per renewal if expires_in is %s, and the token lasts an hour at most',
    async (_name, value) => {
      const grant = { access_token: 'T', token_type: 'bearer', expires_in: value }
      const { oauth, server, clock } = await authorities(send(200, grant))
      expect(await oauth.current()).toMatchObject({ value: 'T' })
      expect(await oauth.replace(1, false)).toMatchObject({ version: 2 })
      expect(await oauth.current()).toMatchObject({ version: 2 })
      expect(server.requests).toHaveLength(2)
      await clock.advance(3_600_000)
      expect(await oauth.current()).toMatchObject({ version: 3 })
    },
  )

  it.each([
    ['a 503', send(503, '')],
    ['HTML', send(200, '<html>', { 'content-type': 'text/html' })],
    ['JSON without a token', send(200, { token_type: 'bearer' })],
    ['a broken connection', (request: Parameters<Answer>[0]) => void request.socket.destroy()],
  ])('that is answered with %s fails with a retryable error', async (_name, answer) => {
    const { oauth } = await authorities(answer)
    const error = await oauth.current().catch((caught: unknown) => caught as TransportError)
    expect(error).toBeInstanceOf(TransportError)
    expect((error as TransportError).retry).toEqual({ kind: 'backoff' })
  })
})
