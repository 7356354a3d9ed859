import { describe, expect, it } from 'vitest'
import { longestWaitMs } from '../../../src/core/time/longest-wait.ts'

const HOUR = 3_600_000

describe('the longest time between two due times', () => {
  it.each([
    ['0 */6 * * *', 6],
    ['30 2 * * *', 24],
    ['0 8,20 * * *', 12],
    ['0 8,10 * * *', 22],
    ['0 2 * * 1', 7 * 24],
    // From Friday 18:00 to Monday 8:00.
    ['0 8-18 * * 1-5', 62],
    // From the last minute of Friday to Monday 0:00.
    ['* * * * 1-5', 48 + 1 / 60],
    ['0 3 1 * *', 31 * 24],
    ['15 4 24 12 *', 365 * 24],
    ['0 3 29 2 *', 4 * 365 * 24 + 24],
    // January 1 is a Monday in 2035 and next in 2046.
    ['0 3 1 1 1', (11 * 365 + 3) * 24],
  ])('of %s is %s hours', (schedule, hours) => {
    expect(longestWaitMs({ schedule }) / HOUR).toBeCloseTo(hours, 9)
  })

  it.each(['0 0 31 2 *', 'whenever'])('of %s, which is never due, is a day', (schedule) => {
    expect(longestWaitMs({ schedule })).toBe(24 * HOUR)
  })
})
