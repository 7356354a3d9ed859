import { afterEach, describe, expect, it } from 'vitest'
import type { GovernorOptions } from '../../../src/api/quota/governor.ts'
import { QUOTA_PRESETS, type Quota, type Quotas } from '../../../src/core/define/quota.ts'
import { RateLimitedError } from '../../../src/core/errors.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { listUsers } from '../../../src/resources/users.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { clientUnderTest } from '../client-under-test.ts'
import { eventClock } from '../event-clock.ts'
import { faultServer, page, send } from '../fault-server.ts'
import { governorOf, NOON } from '../governor-under-test.ts'
import { LIMITERS } from '../limiters.ts'
import { memoryLedger } from '../memory-stores.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const quick = async (): Promise<string> => 'done'

describe('a known rate limit', () => {
  it.each(Object.keys(LIMITERS))(
    'is respected over real connections without a refusal if the service counts by %s',
    { retry: 2 },
    async (kind) => {
      const passes = LIMITERS[kind]?.(60, 1_000)
      const arrivals: number[] = []
      const server = await faultServer((request, response) => {
        arrivals.push(performance.now())
        const answer = passes?.(performance.now()) === true ? page() : send(429)
        answer(request, response)
      })
      const governor = governorOf({ clock: systemClock })
      const { client, close } = clientUnderTest(server.url, { governor, clock: systemClock })
      closers.push(close, governor.close, server.close)
      // Two full windows, and one call more, which cannot start before both have passed.
      await Promise.all(Array.from({ length: 121 }, () => client.fetchPage(listUsers, {})))
      const seconds = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1_000
      expect(governor.stats().MEDIUM).toMatchObject({ requests: 121, rateLimited: 0 })
      expect(seconds).toBeGreaterThanOrEqual(2)
      expect(120 / seconds / 60).toBeGreaterThan(0.8)
    },
  )

  it('leaves half of five calls per second to other programs with a reserve of 0.5', async () => {
    const quotas: Quotas = { ...QUOTA_PRESETS.starter, HEAVY: { perSecond: 5, pool: 'H' } }
    const governor = governorOf({ quotas, reserve: 0.5, clock: systemClock })
    const startedMs = performance.now()
    await Promise.all(Array.from({ length: 6 }, () => governor.run('HEAVY', undefined, quick)))
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(2_000)
    await governor.close()
  })

  it('runs no more calls at once than the option concurrency allows', async () => {
    expect(await mostUnderWay({ concurrency: 3 }, 20)).toBe(3)
  })

  it.each<[string, number, Quota | 'learn']>([
    ['to be learned', 16, 'learn'],
    ['without a limit per second', 16, { perDay: 10_000, pool: 'L' }],
    ['per minute', 8, { perMinute: 10_000, pool: 'L' }],
    ['of 1,000 a second', 20, { perSecond: 1_000, pool: 'L' }],
  ])('sets the default number of concurrent calls (a rate %s)', async (_name, most, LIGHT) => {
    const quotas: Quotas = { ...QUOTA_PRESETS.starter, LIGHT }
    expect(await mostUnderWay({ quotas }, 60)).toBe(most)
  })
})

async function mostUnderWay(options: Partial<GovernorOptions>, calls: number): Promise<number> {
  const clock = eventClock(NOON)
  const governor = governorOf({ ...options, clock })
  let underWay = 0
  let most = 0
  const task = async (): Promise<void> => {
    most = Math.max(most, ++underWay)
    await clock.sleep(60_000)
    underWay--
  }
  await clock.until(
    Promise.all(Array.from({ length: calls }, () => governor.run('LIGHT', undefined, task))),
  )
  return most
}

describe('a hold on a rate limit label', () => {
  it('delays a call of its label until its end, and none of another label', async () => {
    const clock = manualClock(NOON)
    const governor = governorOf({ clock })
    await governor.hold('LIGHT', NOON + 5_000, 'rate')
    const started: number[] = []
    const call = governor.run('LIGHT', undefined, async () => started.push(clock.elapsed()))
    expect(await governor.run('MEDIUM', undefined, quick)).toBe('done')
    await clock.advance(4_900)
    expect(started).toEqual([])
    await clock.advance(1_000)
    await call
    expect(started[0]).toBeGreaterThanOrEqual(5_000)
    expect(started[0]).toBeLessThan(5_500)
  })

  it('is stored in the ledger, and applies after a restart', async () => {
    const ledger = memoryLedger()
    await governorOf({ ledger }).hold('LIGHT', NOON + 60_000, 'rate')
    const clock = manualClock(NOON)
    const later = governorOf({ ledger, clock })
    const call = later.run('LIGHT', undefined, quick)
    await clock.advance(59_000)
    expect(later.stats().LIGHT.requests).toBe(0)
    await clock.advance(2_000)
    expect(await call).toBe('done')
  })

  it('for the day rejects waiting and new calls, but not running ones', async () => {
    const governor = governorOf({ concurrency: 1 })
    let finish = (): void => {}
    const underWay = governor.run(
      'LIGHT',
      undefined,
      () => new Promise<string>((r) => (finish = () => r('done'))),
    )
    const waiting = governor.run('LIGHT', undefined, quick)
    waiting.catch(() => {})
    await new Promise(setImmediate)
    await governor.hold('LIGHT', Date.UTC(2026, 4, 5), 'daily')
    await expect(waiting).rejects.toMatchObject({ scope: 'daily', untilMs: Date.UTC(2026, 4, 5) })
    await expect(governor.run('LIGHT', undefined, quick)).rejects.toBeInstanceOf(RateLimitedError)
    finish()
    expect(await underWay).toBe('done')
    expect(governor.stats().LIGHT).toMatchObject({ requests: 1, spentToday: 1, rateLimited: 1 })
  })
})

describe('a hold by another process', () => {
  it('takes effect within 2.1 seconds, and calls continue after its end', async () => {
    const ledger = memoryLedger()
    const clock = eventClock(NOON)
    const [here, beside] = [governorOf({ ledger, clock }), governorOf({ ledger, clock })]
    const calls = async (): Promise<number[]> => {
      await here.run('LIGHT', undefined, quick)
      await beside.hold('LIGHT', NOON + 60_000, 'rate')
      const startedMs: number[] = []
      while (clock.elapsed() < 65_000) {
        await here.run('LIGHT', undefined, async () => startedMs.push(clock.elapsed()))
        await clock.sleep(100)
      }
      return startedMs
    }
    const startedMs = await clock.until(calls())
    expect(startedMs.filter((ms) => ms > 2_100 && ms < 60_000)).toEqual([])
    expect(startedMs.filter((ms) => ms >= 60_000).length).toBeGreaterThan(10)
  })
})

describe('a call that waits for its rate limit', () => {
  it('ends when its signal aborts, and its booking is returned', async () => {
    const ledger = memoryLedger()
    const governor = governorOf({ ledger })
    await governor.hold('LIGHT', NOON + 60_000, 'rate')
    const stop = new AbortController()
    const call = governor.run('LIGHT', stop.signal, quick)
    call.catch(() => {})
    await new Promise(setImmediate)
    stop.abort(new Error('interrupted'))
    await expect(call).rejects.toThrow('interrupted')
    await governor.close()
    expect(ledger.booked.get('LIGHT 2026-05-04')).toBe(0)
  })
})
