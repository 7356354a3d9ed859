import { describe, expect, it } from 'vitest'
import { type ExpectedDay, expectedDays } from '../../reports/session-quality/expected-days.ts'
import { type DatedShare, levelShiftOf } from '../../reports/shared/level-shift.ts'
import { dispersionOf } from '../../reports/shared/statistics.ts'

const DAY_MS = 86_400_000
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
/** A Monday. */
const FIRST = Date.parse('2026-01-05')

/** Days with two hundred sessions each, `badOn` of them bad. */
function daysOf(weeks: number, badOn: (at: number) => number): DatedShare[] {
  return Array.from({ length: weeks * 7 }, (_none, at) => ({
    day: iso(FIRST + at * DAY_MS),
    week: iso(FIRST + Math.floor(at / 7) * 7 * DAY_MS),
    of: 200,
    hits: badOn(at),
  }))
}

const shiftOf = (days: readonly DatedShare[]) => levelShiftOf(days, dispersionOf([days]))

describe('the day of a level shift', () => {
  it('is the day on which the share changed, with the shares before and after', () => {
    // From the Thursday of the eleventh week on, 12 of 200 are bad instead of 4.
    const shift = shiftOf(daysOf(20, (at) => (at < 73 ? 4 : 12)))
    expect(shift).toMatchObject({
      from: '2026-03-19',
      before: { of: 73 * 200, hits: 73 * 4 },
      since: { of: 67 * 200, hits: 67 * 12 },
    })
    expect(shift?.p).toBeLessThan(1e-6)
  })

  it('has an interval of at most two weeks around it', () => {
    const { earliest = '', latest = '' } = shiftOf(daysOf(20, (at) => (at < 73 ? 4 : 12))) ?? {}
    expect(earliest <= '2026-03-19' && '2026-03-19' <= latest).toBe(true)
    expect(Date.parse(latest) - Date.parse(earliest)).toBeLessThanOrEqual(14 * DAY_MS)
  })

  it('does not exist for a single bad week', () => {
    const shift = shiftOf(daysOf(20, (at) => (at >= 70 && at < 77 ? 40 : 4)))
    expect(shift?.p).toBeGreaterThan(0.5)
  })

  it('is not searched with fewer than two weeks before or after it', () => {
    expect(shiftOf(daysOf(3, () => 4))).toBeUndefined()
  })
})

/** The days to compare with: ten weeks with 20 % bad sessions on Saturdays, and 1 % on other days. */
const EARLIER = new Map(
  daysOf(10, () => 0).map(({ day }, at) => [day, countsOf(at % 7 === 5 ? 40 : 2)]),
)

function countsOf(bad: number): Record<string, number> {
  return { audio_good: 200 - bad, audio_fair: 0, audio_poor: 0, audio_bad: bad }
}

describe('the share of bad sessions on a day', () => {
  const verdictOn = (day: string, bad: number): ExpectedDay['verdict'] | undefined =>
    expectedDays({ days: new Map([[day, countsOf(bad)]]), earlier: EARLIER }, 'audio').get(day)
      ?.verdict

  it('is compared with the same weekday of earlier weeks', () => {
    // April 4 is a Saturday, April 6 a Monday.
    expect([verdictOn('2026-04-04', 40), verdictOn('2026-04-06', 40)]).toEqual([
      'as expected',
      'above',
    ])
    expect([verdictOn('2026-04-04', 2), verdictOn('2026-04-06', 2)]).toEqual([
      'below',
      'as expected',
    ])
  })
})
