import { describe, expect, it } from 'vitest'
import { dueTimes } from '../../../src/core/time/due-times.ts'
import type { Ending } from '../../../src/core/time/ending.ts'
import { type Attempt, nextStart } from '../../../src/core/time/next-start.ts'

const nightly = dueTimes({ schedule: '0 1 * * *', timezone: 'UTC' })
const at = (time: string, day = '10'): number => Date.parse(`2026-05-${day}T${time}:00Z`)
const NEXT_DUE = at('01:00', '11')
const AGAIN: Ending = { kind: 'again' }
const CUT_OFF: Ending = { kind: 'interrupted' }

/** Attempts of ten minutes each, by the times at which they began. */
function attempts(...tries: [string, Ending][]): Attempt[] {
  return tries.map(([time, ending]) => ({
    startedMs: at(time),
    endedMs: at(time) + 600_000,
    ending,
  }))
}

const next = (tries: Attempt[], now = '12:00'): number | undefined =>
  nextStart(nightly, tries, at(now))

describe('a scheduled task', () => {
  it('is due from its due time until an attempt completes it', () => {
    expect(next([])).toBe(at('01:00'))
    expect(next(attempts(['01:00', { kind: 'done' }]))).toBe(NEXT_DUE)
  })

  it('stays due if the completed attempt began before the due time', () => {
    const ending = { kind: 'done' } as const
    expect(next([{ startedMs: at('00:50'), endedMs: at('01:20'), ending }])).toBe(at('01:00'))
  })

  it('counts as begun at its due time if the clock of the database is slightly behind', () => {
    const ending = { kind: 'done' } as const
    const early = [{ startedMs: at('01:00') - 30_000, endedMs: at('01:20'), ending }]
    expect(next(early)).toBe(NEXT_DUE)
    const minutely = dueTimes({ schedule: '* * * * *', timezone: 'UTC' })
    expect(nextStart(minutely, early, at('01:00'))).toBe(at('01:00'))
  })

  it('is retried after 5, 15 and 60 minutes, then every hour', () => {
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

  it('starts at its next due time at the latest, when the waits start over', () => {
    const late = attempts(['23:45', AGAIN], ['23:46', AGAIN], ['23:47', AGAIN])
    const two = attempts(['23:45', AGAIN])
    const soon = dueTimes({ schedule: '58 23 * * *', timezone: 'UTC' })
    expect(nextStart(soon, late, at('23:57'))).toBe(at('23:58'))
    expect(nextStart(soon, two, at('23:59'))).toBe(at('23:58'))
  })

  it('resumes at once after an interruption, and waits after another one', () => {
    expect(next(attempts(['01:00', CUT_OFF]))).toBe(at('01:10'))
    expect(next(attempts(['01:00', CUT_OFF], ['01:10', CUT_OFF]))).toBe(at('01:25'))
  })

  it('resumes when the daily quota is reset', () => {
    const reset = at('00:00', '11')
    expect(next(attempts(['01:00', { kind: 'at', atMs: reset }]))).toBe(reset)
  })

  it('waits for its next due time if a person has to act', () => {
    expect(next(attempts(['01:00', AGAIN], ['01:15', { kind: 'person' }]))).toBe(NEXT_DUE)
  })
})
