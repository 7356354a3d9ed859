import { describe, expect, it } from 'vitest'
import { QUOTA_PRESETS, type Quotas } from '../../src/core/define/quota.ts'
import { RateLimitedError } from '../../src/core/errors.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { eventClock } from './event-clock.ts'
import { governorOf, NOON } from './governor-under-test.ts'
import { memoryLedger } from './memory-stores.ts'

const quick = async (): Promise<string> => 'done'

describe('a daily hold', () => {
  it('rejects calls that left the queue but were not sent, and gives back their quota', async () => {
    const ledger = memoryLedger()
    const clock = manualClock(NOON)
    const quotas: Quotas = { ...QUOTA_PRESETS.starter, LIGHT: { perSecond: 1, pool: 'L' } }
    const governor = governorOf({ quotas, ledger, clock })
    const sent: number[] = []
    const call = () => governor.run('LIGHT', undefined, async () => sent.push(clock.elapsed()))
    const calls = [call(), call(), call()]
    const settled = Promise.allSettled(calls)
    await clock.advance(10)
    expect(sent).toHaveLength(1)
    await governor.hold('LIGHT', Date.UTC(2026, 4, 5), 'daily')
    await clock.advance(60_000)
    expect(sent).toHaveLength(1)
    expect((await settled).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ])
    await expect(calls[2]).rejects.toMatchObject({ scope: 'daily' })
    await governor.close()
    expect(ledger.booked.get('L 2026-05-04')).toBe(1)
  })

  it('rejects the calls of every label that shares the pool, and of no other', async () => {
    const ledger = memoryLedger()
    const governor = governorOf({ ledger })
    const refused = async (): Promise<never> => {
      throw new RateLimitedError('daily', Date.UTC(2026, 4, 5), { tried: 'x', came: '429' })
    }
    await expect(governor.run('HEAVY', undefined, refused)).rejects.toThrow('429')
    const sharing = governor.run('RESOURCE-INTENSIVE', undefined, quick)
    await expect(sharing).rejects.toMatchObject({ scope: 'daily', untilMs: Date.UTC(2026, 4, 5) })
    expect(ledger.labels.get('RESOURCE-INTENSIVE')?.reason).toBe('daily')
    expect(await governor.run('MEDIUM', undefined, quick)).toBe('done')
  })
})

describe('the daily quota of a pool', () => {
  const quotas: Quotas = {
    ...QUOTA_PRESETS.business,
    HEAVY: { perDay: 100, pool: 'shared' },
    'RESOURCE-INTENSIVE': { perDay: 100, pool: 'shared' },
  }

  it('is shared by its labels and by processes, which stop for the day when it is exhausted', async () => {
    const ledger = memoryLedger()
    const clock = eventClock(NOON)
    const open = () => governorOf({ quotas, ledger, clock })
    const processes = [open(), open()]
    const calls = Array.from({ length: 110 }, async (_none, index) =>
      processes[index % 2]?.run(index % 4 < 2 ? 'HEAVY' : 'RESOURCE-INTENSIVE', undefined, quick),
    )
    const results = await clock.until(Promise.allSettled(calls))
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(100)
    const refused = results.find((result) => result.status === 'rejected')
    expect(refused?.reason).toMatchObject({
      scope: 'daily',
      untilMs: Date.UTC(2026, 4, 5),
      exitCode: 3,
    })
    expect(ledger.booked.get('shared 2026-05-04')).toBe(100)
  })

  it('is booked in blocks before the calls, so that a crash never makes the count too low', async () => {
    const ledger = memoryLedger()
    const clock = eventClock(NOON)
    const governor = governorOf({ ledger, clock })
    const seen: (number | undefined)[] = []
    const task = async () => seen.push(ledger.booked.get('LIGHT 2026-05-04'))
    const calls = async (): Promise<void> => {
      for (let call = 0; call < 60; call++) await governor.run('LIGHT', undefined, task)
    }
    await clock.until(calls())
    expect(seen.every((booked, made) => (booked ?? 0) > made)).toBe(true)
    expect(ledger.reservations).toBe(2)
    expect(governor.stats().LIGHT.spentToday).toBe(60)
    await governor.close()
    expect(ledger.booked.get('LIGHT 2026-05-04')).toBe(60)
  })

  it('leaves the daily reserve, and restarts at 00:00 UTC', async () => {
    const clock = eventClock(NOON)
    const governor = governorOf({ quotas, reserve: 0.9, clock })
    const run = (): Promise<string> => clock.until(governor.run('HEAVY', undefined, quick))
    for (let call = 0; call < 10; call++) await run()
    await expect(run()).rejects.toBeInstanceOf(RateLimitedError)
    await clock.until(clock.sleep(12 * 3_600_000))
    expect(await run()).toBe('done')
    expect(governor.stats().HEAVY).toMatchObject({ spentToday: 1, dailyLimit: 10 })
  })
})
