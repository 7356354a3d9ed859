import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { estimate } from '../../src/api/quota/estimate.ts'
import type { RateLabel } from '../../src/core/define/operation.ts'
import { LEARN_ALL, RATE_LABELS } from '../../src/core/define/quota.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { holds } from './holds.ts'

const plans = fc.record({
  label: fc.constantFrom<RateLabel>(...RATE_LABELS),
  calls: fc.integer({ min: 1, max: 2_000_000 }),
  perSecond: fc.integer({ min: 1, max: 200 }),
  perDay: fc.option(fc.integer({ min: 100, max: 200_000 }), { nil: undefined }),
  spent: fc.nat(250_000),
  reserve: fc.constantFrom(0, 0.1, 0.5),
  nowMs: fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2040-01-01') }),
})

it('a plan ends no sooner than its rate and quota allow, and never sooner with more calls', async () => {
  let days = 0
  await holds(
    fc.property(plans, ({ label, calls, perSecond, perDay, spent, reserve, nowMs }) => {
      const quota = { perSecond, pool: 'p', ...(perDay === undefined ? {} : { perDay }) }
      const of = (wanted: number) =>
        estimate({
          callsPerLabel: { [label]: wanted },
          quotas: { ...LEARN_ALL, [label]: quota },
          reserve,
          spentToday: new Map([['p', spent]]),
          learned: new Map(),
          nowMs,
        })
      const { endsAtMs = Number.NaN, days: needed, labels } = of(calls)
      expect(labels.map(({ calls: counted }) => counted)).toEqual([calls])
      expect(endsAtMs).toBeGreaterThanOrEqual(nowMs)
      expect(of(calls + 1).endsAtMs).toBeGreaterThanOrEqual(endsAtMs)
      const limit = perDay === undefined ? Infinity : Math.floor(perDay * (1 - reserve))
      const leftToday = Math.max(0, limit - spent)
      if (calls <= leftToday)
        expect(endsAtMs).toBeCloseTo(nowMs + (calls / (perSecond * (1 - reserve))) * 1000, 3)
      else {
        // Each day takes its limit at most, however fast the calls are.
        const nights = Math.ceil((calls - leftToday) / limit)
        const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS + nights * DAY_MS
        expect(endsAtMs).toBeGreaterThanOrEqual(midnight)
        expect(needed).toBeGreaterThanOrEqual(nights + 1)
        days++
      }
    }),
  )
  expect(days).toBeGreaterThan(100)
})

it('the end of a plan is unknown if the rate of one label is unknown', async () => {
  await holds(
    fc.property(plans, ({ label, calls, nowMs }) => {
      const made = estimate({
        callsPerLabel: { [label]: calls },
        quotas: LEARN_ALL,
        reserve: 0,
        spentToday: new Map(),
        learned: new Map(),
        nowMs,
      })
      expect(made.endsAtMs).toBeUndefined()
      expect(made.labels.map(({ seconds }) => seconds)).toEqual([undefined])
    }),
  )
})
