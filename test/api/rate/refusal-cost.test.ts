import { expect, it } from 'vitest'
import { NO_SIGNS } from '../../../src/api/rate/limit-model.ts'
import { fall } from '../../../src/api/rate/rate-fall.ts'
import { knownOptions } from '../../../src/api/rate/rate-finder.ts'
import type { Finding } from '../../../src/api/rate/rate-finding.ts'
import {
  addCall,
  addRefusal,
  marginOf,
  putOff,
  type RefusalCost,
  stepUp,
  USUAL_COST,
} from '../../../src/api/rate/refusal-cost.ts'

const CHEAP = times(20, (cost) => addRefusal(cost, false))
const DEAR = times(20, (cost) => addCall(addRefusal(cost, false)))
const LOOKING = {
  phase: 'test',
  growth: 1.02,
  steppedMs: 0,
  settledMs: 0,
  testAfterMs: 30_000,
  excess: 1,
  signs: NO_SIGNS,
} as const

function times(
  count: number,
  change: (cost: RefusalCost) => RefusalCost,
  from: RefusalCost = USUAL_COST,
): RefusalCost {
  return count === 0 ? from : times(count - 1, change, change(from))
}

it('where a refusal costs more calls, stays further below, looks later and steps smaller', () => {
  expect(marginOf(CHEAP)).toBe(0.01)
  expect(marginOf(DEAR)).toBeGreaterThan(0.04)
  expect(putOff(DEAR)).toBeGreaterThan(2 * putOff(CHEAP))
  expect(stepUp(0.02, DEAR)).toBeLessThan(stepUp(0.02, CHEAP))
  expect(stepUp(0.02, DEAR)).toBeGreaterThan(1)
})

it('stays no further below than a bound, nor looks later, whatever was refused', () => {
  const many = times(50, addCall)
  expect(marginOf(many)).toBe(0.055)
  expect(putOff(many)).toBeLessThan(12)
  expect(putOff(times(50, addCall, many))).toBe(putOff(many))
})

it('takes a correction of the limit that was just found for a part of its cost', () => {
  const corrected = times(20, (cost) => addRefusal(addRefusal(cost, false), true))
  expect(marginOf(corrected)).toBeCloseTo(marginOf(DEAR), 10)
})

it('forgets what refusals cost before', () => {
  expect(marginOf(times(60, (cost) => addRefusal(cost, false), DEAR))).toBe(0.01)
})

it('cruises the further below the same limit, and looks the later, the more it has cost', () => {
  const options = knownOptions({ cap: 80, intervalMs: 1_000 })
  const finding = { ...LOOKING, passed: 60, rate: 61, ceiling: 55 }
  const shown = { recent: 60, sustained: undefined, sinceMs: 60_000, nowMs: 100_000 }
  const after = (cost: RefusalCost): Finding => fall(options, { ...finding, cost }, shown)
  expect(after(DEAR).ceiling).toBe(after(CHEAP).ceiling)
  expect(after(DEAR).rate).toBeLessThan(after(CHEAP).rate)
  expect(after(DEAR).testAfterMs).toBeGreaterThan(after(CHEAP).testAfterMs)
})

it('puts off no look for more than an hour, not even by the minute', () => {
  const options = knownOptions({ cap: 10, intervalMs: 60_000 })
  const finding = { ...LOOKING, passed: 9, rate: 9.5, ceiling: 9 }
  const shown = { recent: 9, sustained: undefined, sinceMs: 6_000_000, nowMs: 9_000_000 }
  const after = fall(options, { ...finding, cost: DEAR }, shown)
  expect(after.testAfterMs).toBe(3_600_000)
})
