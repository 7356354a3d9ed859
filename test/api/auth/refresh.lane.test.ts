import { describe, expect, it } from 'vitest'
import { createAccountToken } from '../../../src/api/auth/account-token.ts'
import { reauthError } from '../../../src/api/auth/renewal.ts'
import { listenAtPoints } from '../../../src/core/kill-point.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { type Answer, faultServer, send } from '../fault-server.ts'
import { memoryTokens } from '../memory-stores.ts'
import { closers, HOUR_MS, LOGIN, loggedIn, passing, scripted } from './login-world.ts'

const TWO_TOKENS = { refreshToken: 'newest', previousRefreshToken: 'before', endsAtMs: 0 }

describe('a token refresh', () => {
  it('always uses the newest token, and keeps the previous one', async () => {
    const { clock, store, sandbox, request, shared } = await loggedIn()
    const bearer = createAccountToken({ ...shared, request })
    const seen = [store.stored?.grant?.refreshToken]
    for (let hour = 0; hour < 4; hour++) {
      await clock.advance(HOUR_MS)
      await bearer.current()
      expect(store.stored?.grant?.previousRefreshToken).toBe(seen.at(-1))
      seen.push(store.stored?.grant?.refreshToken)
    }
    expect(new Set(seen).size).toBe(5)
    expect(sandbox.stats().tokenRenewals).toBe(5)
  })

  it('T1 T2 after a lost response uses the previous token, or then requires a login', async () => {
    for (const refreshGraceMs of [0, 60_000]) {
      const { clock, store, sandbox, request, shared } = await loggedIn({
        habits: { refreshGraceMs },
      })
      await clock.advance(HOUR_MS)
      // The service has issued a new refresh token, and the process dies before it can store it.
      await request(store.stored)
      const next = createAccountToken({ ...shared, request }).current()
      if (refreshGraceMs > 0) {
        expect(await next).toMatchObject({ version: 2 })
        continue
      }
      await expect(next).rejects.toMatchObject({
        code: 'needs_reauth',
        facts: { todo: `run ${LOGIN}` },
      })
      expect(store.stored).toMatchObject({ version: 1, needsReauth: expect.any(String) })
      const asked = sandbox.stats().tokenRenewals
      const later = createAccountToken({ ...shared, request }).current()
      await expect(later).rejects.toMatchObject({ code: 'needs_reauth' })
      expect(sandbox.stats().tokenRenewals).toBe(asked)
    }
  })

  it('tries the newest and then the previous token, once each, before it requires a login', async () => {
    const refused = send(400, { error: 'invalid_grant' })
    const server = await faultServer(refused)
    const clock = manualClock(Date.UTC(2026, 4, 4))
    const store = memoryTokens(clock)
    await store.save({ accessToken: 'a', expiresAtMs: 0, scope: [], grant: TWO_TOKENS }, 0)
    const { oauth } = scripted(server.url, clock, store)
    closers.push(server.close)
    for (const time of [1, 2])
      await expect(oauth.current(), `time ${time}`).rejects.toMatchObject({ code: 'needs_reauth' })
    const sent = server.requests.map(({ body }) => new URLSearchParams(body).get('refresh_token'))
    expect(sent).toEqual(['newest', 'before'])
  })

  it.each([
    'token:claiming',
    'token:claimed',
    'token:sending',
    'token:received',
    'token:persisted',
  ])(
    'I11 interrupted at %s is repeated, or requires a login if the new token was lost',
    async (at) => {
      for (const refreshGraceMs of [0, 3 * HOUR_MS]) {
        const { clock, store, request, shared } = await loggedIn({ habits: { refreshGraceMs } })
        await clock.advance(HOUR_MS)
        const cut = new Promise<void>((resolve) =>
          listenAtPoints((name) => {
            if (name !== at) return undefined
            resolve()
            // The caller hangs here forever, as if its process had ended.
            return new Promise<void>(() => {})
          }),
        )
        void createAccountToken({ ...shared, request }).current()
        await cut
        listenAtPoints(undefined)
        const next = createAccountToken({ ...shared, request }).current()
        const lost = at === 'token:received' && refreshGraceMs === 0
        const end = await passing(clock, next).catch((error: unknown) => error)
        if (lost) expect(end).toMatchObject({ code: 'needs_reauth' })
        else expect(end).toMatchObject({ version: 2 })
        expect(store.stored?.needsReauth === undefined).toBe(!lost)
        if (lost) continue
        await clock.advance(HOUR_MS)
        const later = createAccountToken({ ...shared, request }).current()
        expect(await passing(clock, later)).toMatchObject({ version: 3 })
      }
    },
  )

  it('T3 is done once for many processes', async () => {
    const { clock, sandbox, request, shared } = await loggedIn()
    await clock.advance(HOUR_MS)
    const bearers = Array.from({ length: 4 }, () => createAccountToken({ ...shared, request }))
    const all = Promise.all(bearers.map((bearer) => bearer.current()))
    expect(new Set((await passing(clock, all)).map(({ value }) => value)).size).toBe(1)
    expect(sandbox.stats().tokenRenewals).toBe(2)
  })

  it('times out before its claim expires if the previous token gets no answer', async () => {
    const clock = manualClock(Date.UTC(2026, 4, 4))
    const slowRefusal: Answer = (request, response) =>
      void clock
        .advance(20_000)
        .then(() => send(400, { error: 'invalid_grant' })(request, response))
    const server = await faultServer(slowRefusal, () => {})
    const store = memoryTokens(clock)
    await store.save({ accessToken: 'a', expiresAtMs: 0, scope: [], grant: TWO_TOKENS }, 0)
    const { oauth } = scripted(server.url, clock, store)
    closers.push(server.close)
    const end: unknown[] = []
    void oauth.current().catch((error: unknown) => end.push(error))
    while (server.requests.length < 2) await new Promise(setImmediate)
    await clock.advance(5_000)
    await new Promise(setImmediate)
    // The second token was not refused, so it is tried again and nobody has to log in.
    expect(end).toMatchObject([{ code: 'timeout' }])
    expect(store.stored?.needsReauth).toBeUndefined()
  })

  it('uses the tokens of a faster process if it is refused because of that process', async () => {
    const { clock, store, shared } = await loggedIn()
    await clock.advance(HOUR_MS)
    const request = async () => {
      const expiresAtMs = clock.now() + HOUR_MS
      await store.save({ accessToken: 'quicker', expiresAtMs, scope: [], grant: TWO_TOKENS }, 1)
      throw reauthError('the service no longer accepts the login', LOGIN)
    }
    const token = await createAccountToken({ ...shared, request }).current()
    expect(token).toMatchObject({ value: 'quicker', version: 2 })
    expect(store.stored?.needsReauth).toBeUndefined()
  })

  it('keeps the login after a temporary failure', async () => {
    const { clock, store, shared } = await loggedIn()
    const request = () => Promise.reject(new Error('no line'))
    await clock.advance(HOUR_MS)
    await expect(createAccountToken({ ...shared, request }).current()).rejects.toThrow('no line')
    expect(store.stored?.needsReauth).toBeUndefined()
    expect(store.stored?.grant).toBeDefined()
  })
})
