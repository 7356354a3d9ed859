import { describe, expect, it } from 'vitest'
import { makeLimiter } from '../../sandbox/protocol/limiter.ts'
import { LAB_QUOTAS, type LimiterKind } from '../../sandbox/seed-data/options.ts'
import { startSandbox } from '../../sandbox/server/server.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { oauthCaller } from './caller.ts'

const NOW_MS = Date.parse('2026-06-10T09:00:00Z')

describe('a limiter of ten calls a second', () => {
  it.each([
    { kind: 'fixed-second' as const, early: 10, atOnce: 10 },
    { kind: 'sliding-window' as const, early: 0, atOnce: 5 },
    { kind: 'token-bucket' as const, early: 5, atOnce: 5 },
  ])('accepts bursts as its algorithm allows: $kind', async ({ kind, early, atOnce }) => {
    const { clock, burst } = limiterOf(kind)
    expect(burst(5)).toBe(5)
    await clock.advance(900)
    expect(burst(20)).toBe(kind === 'token-bucket' ? 10 : 5)
    await clock.advance(100)
    // One second after the first five calls, the window no longer counts them; the bucket refills evenly.
    expect(burst(20)).toBe(kind === 'token-bucket' ? 1 : atOnce)
    await clock.advance(500)
    expect(burst(20)).toBe(kind === 'fixed-second' ? 0 : early)
  })
})

describe('a rate limit over HTTP', () => {
  it('answers 429 beyond the quota, and shares a daily quota among the labels of a pool', async () => {
    const clock = manualClock(NOW_MS)
    const quotas = { ...LAB_QUOTAS, MEDIUM: { perSecond: 3, perDay: 5, pool: 'shared' } }
    const sandbox = await startSandbox({
      clock,
      quotas: { ...quotas, LIGHT: { perDay: 5, pool: 'shared' } },
      sizes: { users: 50 },
    })
    const caller = await oauthCaller(sandbox)
    const statuses = []
    for (let n = 0; n < 4; n++) statuses.push((await caller.get('/users')).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    await clock.advance(2_000)
    expect((await caller.get('/users/me')).status).toBe(200)
    expect((await caller.get('/users')).status).toBe(200)
    const spent = await caller.get('/users/me')
    expect(spent.body.message).toContain('maximum daily rate limit')
    await clock.advance(16 * 3_600_000)
    const later = await oauthCaller(sandbox)
    expect((await later.get('/users/me')).status).toBe(200)
    expect(sandbox.stats().labels.MEDIUM).toMatchObject({ requests: 5, rateLimited: 1 })
    await sandbox.close()
  })

  it('sends Retry-After only for the daily limit, in one of three forms or not at all', async () => {
    const sandbox = await startSandbox({ nowMs: NOW_MS, sizes: { users: 50 } })
    const caller = await oauthCaller(sandbox)
    const forms = new Set<string>()
    for (let n = 0; n < 40; n++) {
      const { headers } = await caller.get('/users', { role_id: 'fault:daily-limit' })
      const after = headers.get('retry-after')
      forms.add(after === null ? 'none' : after.replaceAll(/\d/g, '9'))
      const rate = await caller.get('/users', { role_id: 'fault:rate-limited' })
      expect(rate.headers.get('retry-after')).toBeNull()
    }
    expect([...forms].sort()).toEqual([
      '9999-99-99T99:99:99Z',
      '99999',
      'Thu, 99 Jun 9999 99:99:99 GMT',
      'none',
    ])
    await sandbox.close()
  })
})

function limiterOf(kind: LimiterKind) {
  const clock = manualClock(0)
  const quotas = { ...LAB_QUOTAS, LIGHT: { perSecond: 10, pool: 'LIGHT' } }
  const limiter = makeLimiter({ quotas, kind, now: clock.now, elapsed: clock.elapsed })
  const burst = (calls: number): number => {
    let taken = 0
    for (let n = 0; n < calls; n++) if (limiter.take('a', 'LIGHT') === 'taken') taken++
    return taken
  }
  return { clock, burst }
}
