import { describe, expect, it } from 'vitest'
import { dueTimes } from '../../../src/core/time/due-times.ts'
import type { Ending } from '../../../src/core/time/ending.ts'
import { type Attempt, nextStart } from '../../../src/core/time/next-start.ts'

const nightly = dueTimes({ schedule: '0 1 * * *', timezone: 'UTC' })
const at = (time: string, day = '10'): number => Date.parse(`2026-05-${day}T${time}:00Z`)
const NEXT_DUE = at('01:00', '11')
const AGAIN: Ending = { kind: 'again' }
const CUT_OFF: Ending = { kind: 'interrupted' }

/** Attempts of ten minutes, each begun at its time. */
function attempts(...tries: [string, Ending][]): Attempt[] {
  return tries.map(([time, ending]) => ({
    startedMs: at(time),
    endedMs: at(time) + 600_000,
    ending,
  }))
}

const next = (tries: Attempt[], now = '12:00'): number | undefined =>
  nextStart(nightly, tries, at(now))

describe('work', () => {
  it('is due from its due time until it was done', () => {
    expect(next([])).toBe(at('01:00'))
    expect(next(attempts(['01:00', { kind: 'done' }]))).toBe(NEXT_DUE)
  })

  it('is due still where what was done began before its due time', () => {
    const ending = { kind: 'done' } as const
    expect(next([{ startedMs: at('00:50'), endedMs: at('01:20'), ending }])).toBe(at('01:00'))
  })

  it('counts as begun at its due time where the clock of the database is a little behind', () => {
    const ending = { kind: 'done' } as const
    const early = [{ startedMs: at('01:00') - 30_000, endedMs: at('01:20'), ending }]
    expect(next(early)).toBe(NEXT_DUE)
    const minutely = dueTimes({ schedule: '* * * * *', timezone: 'UTC' })
    expect(nextStart(minutely, early, at('01:00'))).toBe(at('01:00'))
  })

  it('that failed is tried again after 5, 15 and 60 minutes, and then each hour', () => {
    const tries: [string, Ending][] = []
    const expected = [
      ['01:00', '01:15'],
      ['01:15', '01:40'],
      ['01:40', '02:50'],
      ['02:50', '04:00'],
      ['04:00', '05:10'],
    ] as const
    for (const [begun, again] of expected) {
      tries.push([begun, AGAIN])
      expect(next(attempts(...tries), begun)).toBe(at(again))
    }
  })

  it('is not tried later than its next due time, when the waits begin anew', () => {
    const late = attempts(['23:45', AGAIN], ['23:46', AGAIN], ['23:47', AGAIN])
    const two = attempts(['23:45', AGAIN])
    const soon = dueTimes({ schedule: '58 23 * * *', timezone: 'UTC' })
    expect(nextStart(soon, late, at('23:57'))).toBe(at('23:58'))
    expect(nextStart(soon, two, at('23:59'))).toBe(at('23:58'))
  })

  it('that was cut off goes on at once, and later if that ends it again', () => {
    expect(next(attempts(['01:00', CUT_OFF]))).toBe(at('01:10'))
    expect(next(attempts(['01:00', CUT_OFF], ['01:10', CUT_OFF]))).toBe(at('01:25'))
  })

  it('goes on when the daily quota begins anew', () => {
    const reset = at('00:00', '11')
    expect(next(attempts(['01:00', { kind: 'at', atMs: reset }]))).toBe(reset)
  })

  it('that needs a person is not tried before its next due time', () => {
    expect(next(attempts(['01:00', AGAIN], ['01:15', { kind: 'person' }]))).toBe(NEXT_DUE)
  })
})
