import { describe, expect, it } from 'vitest'
import { type EstimateFacts, estimate } from '../../../src/api/quota/estimate.ts'
import { LEARN_ALL, QUOTA_PRESETS } from '../../../src/core/define/quota.ts'

const noon = Date.parse('2026-05-10T12:00:00Z')
const facts: EstimateFacts = {
  callsPerLabel: { MEDIUM: 3_600, 'RESOURCE-INTENSIVE': 540 },
  quotas: QUOTA_PRESETS.pro,
  reserve: 0.1,
  spentToday: new Map(),
  learned: new Map(),
  nowMs: noon,
}

describe('an estimate of the time for calls', () => {
  it('ends when the slowest label has made its calls', () => {
    const { labels, endsAtMs, days } = estimate(facts)
    expect(labels.map(({ label, callsPerSecond }) => [label, callsPerSecond])).toEqual([
      ['MEDIUM', 18],
      ['RESOURCE-INTENSIVE', 0.15],
    ])
    expect(endsAtMs).toBe(noon + 3_600_000)
    expect(days).toBe(1)
  })

  it('continues at midnight after the quota of a day is used up', () => {
    const pool = 'HEAVY+RESOURCE-INTENSIVE'
    const { endsAtMs, days } = estimate({ ...facts, spentToday: new Map([[pool, 27_000]]) })
    expect(endsAtMs).toBe(Date.parse('2026-05-11T01:00:00Z'))
    expect(days).toBe(2)
  })

  it('takes as many days as the pool needs', () => {
    const { days } = estimate({
      ...facts,
      callsPerLabel: { MEDIUM: 5_000 },
      quotas: QUOTA_PRESETS.starter,
    })
    expect(days).toBe(3)
  })

  it('is unknown for a rate that is neither configured nor learned', () => {
    expect(estimate({ ...facts, quotas: LEARN_ALL }).endsAtMs).toBeUndefined()
    const learned = new Map([
      ['MEDIUM', 36],
      ['RESOURCE-INTENSIVE', 1],
    ] as const)
    expect(estimate({ ...facts, quotas: LEARN_ALL, learned }).endsAtMs).toBe(noon + 540_000)
    const days = { ...LEARN_ALL, MEDIUM: { perDay: 50_000, pool: 'MEDIUM' } }
    expect(estimate({ ...facts, quotas: days, learned }).endsAtMs).toBe(noon + 540_000)
  })

  it('of no calls ends now', () => {
    expect(estimate({ ...facts, callsPerLabel: {} })).toEqual({
      labels: [],
      endsAtMs: noon,
      days: 1,
    })
  })
})
