import { describe, expect, it } from 'vitest'
import { type BucketSigns, NO_SIGNS, readSigns } from '../../../src/api/rate/limit-model.ts'
import { fall } from '../../../src/api/rate/rate-fall.ts'
import { knownOptions } from '../../../src/api/rate/rate-finder.ts'
import type { Finding } from '../../../src/api/rate/rate-finding.ts'
import { USUAL_COST } from '../../../src/api/rate/refusal-cost.ts'

const inNoLook = { windowMs: 1_000, excess: undefined }

function after(refusals: readonly { sustained: number; sinceMs: number }[]): BucketSigns {
  let signs = NO_SIGNS
  for (const one of refusals) signs = readSigns(signs, { recent: 30, ...one }, inNoLook)
  return signs
}

describe('the signs of a bucket', () => {
  const proof = [
    { sustained: 20, sinceMs: 4_000 },
    { sustained: 20.5, sinceMs: 6_000 },
    { sustained: 20.2, sinceMs: 9_000 },
  ]

  it('are three refusals soon after one another that agree in what was let through', () => {
    expect(after(proof.slice(0, 2)).bucket).toBe(false)
    expect(after(proof).bucket).toBe(true)
  })

  it('are not refusals so soon that the hold is most of the time between them', () => {
    expect(after(proof.map((one) => ({ ...one, sinceMs: 2_000 })))).toEqual(NO_SIGNS)
  })

  it('do not join what lies far apart', () => {
    const [first, second] = proof
    const late = { sustained: 20, sinceMs: 60_000 }
    expect(after([first!, second!, late, second!]).bucket).toBe(false)
  })

  it('are refuted by refusals that differ', () => {
    expect(after([...proof, { sustained: 15, sinceMs: 5_000 }]).bucket).toBe(false)
  })

  it('are refuted by a look that is refused before a bucket could be empty', () => {
    const signs = after(proof)
    const shown = { recent: 21, sustained: 19, sinceMs: 60_000 }
    expect(readSigns(signs, shown, { windowMs: 1_000, excess: 1.1 }).bucket).toBe(true)
    expect(readSigns(signs, shown, { windowMs: 1_000, excess: 0.1 })).toEqual(NO_SIGNS)
  })
})

it('a bucket that is refused after a rest, with no average to go by, is not taken for a quarter', () => {
  const options = knownOptions({ cap: 40, intervalMs: 1_000 })
  const known = {
    steppedMs: 0,
    settledMs: 0,
    testAfterMs: 30_000,
    growth: 1,
    passed: 20,
    excess: 0,
    cost: USUAL_COST,
  }
  const signs = { bucket: true, agreed: 2, sustained: 20 }
  const finding: Finding = { ...known, phase: 'cruise', rate: 20, ceiling: 20.6, signs }
  const shown = { recent: 20, sinceMs: 8_000, nowMs: 100_000 }
  expect(fall(options, finding, { ...shown, sustained: undefined }).ceiling).toBeGreaterThan(18)
  expect(fall(options, finding, { ...shown, sustained: 19.4 }).ceiling).toBe(19.4)
})
