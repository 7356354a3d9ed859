import { describe, expect, it } from 'vitest'
import { type BudgetFacts, callBudget } from '../../src/archive/call-budget.ts'

const NOON = Date.parse('2026-07-08T12:00:00Z')
const HOUR = 3_600_000
const facts: BudgetFacts = {
  label: { callsPerSecond: 2, dailyLimit: 1_800, spentToday: 300 },
  retryAtMs: 0,
  nowMs: NOON,
}
const until = (changes: Partial<BudgetFacts>, hours: number) =>
  callBudget({ ...facts, ...changes })?.(NOON + hours * HOUR)

describe('the calls that can be made until a deadline', () => {
  it('are limited by the rate, by the rest of today’s quota and by the quota of each later day', () => {
    expect(until({}, 0.1)).toBe(720)
    expect(until({}, 6)).toBe(1_500)
    expect(until({}, 12)).toBe(1_500)
    expect(until({}, 13)).toBe(1_500 + 1_800)
    expect(until({}, 12 + 48)).toBe(1_500 + 2 * 1_800)
    expect(until({}, -1)).toBe(0)
  })

  it('are limited by the daily quota alone if the rate is unknown', () => {
    const label = { ...facts.label, callsPerSecond: undefined }
    expect(until({ label }, 0.1)).toBe(1_500)
    expect(until({ label }, 13)).toBe(1_500 + 1_800)
    expect(until({ label: { ...label, dailyLimit: undefined } }, 1)).toBeUndefined()
  })

  it('are counted from the end of a wait that the service asked for', () => {
    expect(until({ retryAtMs: NOON + 2 * HOUR }, 2)).toBe(0)
    expect(until({ retryAtMs: NOON + 13 * HOUR }, 24)).toBe(1_800)
  })

  it('are limited by the rate alone without a daily quota, and are unknown without both', () => {
    const label = { callsPerSecond: 2, dailyLimit: undefined, spentToday: 5_000 }
    expect(until({ label }, 24)).toBe(2 * 86_400)
    expect(callBudget({ ...facts, label: { ...label, callsPerSecond: undefined } })).toBeUndefined()
  })
})
