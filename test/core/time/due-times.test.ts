import { describe, expect, it } from 'vitest'
import { dueTimes } from '../../../src/core/time/due-times.ts'

const at = (text: string): number => Date.parse(text)
const iso = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString().replace('.000Z', 'Z')
const now = at('2026-05-10T12:00:30Z')

describe('the due times', () => {
  it.each([
    ['0 1 * * *', 'UTC', '2026-05-10T01:00:00Z', '2026-05-11T01:00:00Z'],
    ['0 13 * * *', 'UTC', '2026-05-09T13:00:00Z', '2026-05-10T13:00:00Z'],
    ['0 1 * * *', 'Europe/Berlin', '2026-05-09T23:00:00Z', '2026-05-10T23:00:00Z'],
    ['0 0 1 * *', 'UTC', '2026-05-01T00:00:00Z', '2026-06-01T00:00:00Z'],
    ['0 12 * * *', 'UTC', '2026-05-10T12:00:00Z', '2026-05-11T12:00:00Z'],
    ['30 2 * * mon', 'America/New_York', '2026-05-04T06:30:00Z', '2026-05-11T06:30:00Z'],
    ['0 0 L * *', 'UTC', '2026-04-30T00:00:00Z', '2026-05-31T00:00:00Z'],
    ['0 0 * * fri#2', 'UTC', '2026-05-08T00:00:00Z', '2026-06-12T00:00:00Z'],
    ['0 0 29 2 *', 'UTC', '2024-02-29T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 6 1 1 *', 'Asia/Tokyo', '2025-12-31T21:00:00Z', '2026-12-31T21:00:00Z'],
    ['*/10 * * * * *', 'UTC', '2026-05-10T12:00:30Z', '2026-05-10T12:00:40Z'],
  ])('of %s in %s are %s and %s', (schedule, timezone, last, next) => {
    const times = dueTimes({ schedule, timezone })
    expect([iso(times.last(now)), iso(times.next(now))]).toEqual([last, next])
  })

  it('include the first instant after a local time that the clocks skip', () => {
    const times = dueTimes({ schedule: '30 2 * * *', timezone: 'Europe/Berlin' })
    expect(iso(times.next(at('2026-03-28T12:00:00Z')))).toBe('2026-03-29T01:00:00Z')
    expect(iso(times.last(at('2026-03-29T12:00:00Z')))).toBe('2026-03-29T01:00:00Z')
    expect(iso(times.next(at('2026-03-29T12:00:00Z')))).toBe('2026-03-30T00:30:00Z')
  })

  it('include only the first of two equal local times', () => {
    const times = dueTimes({ schedule: '30 2 * * *', timezone: 'Europe/Berlin' })
    expect(iso(times.next(at('2026-10-24T12:00:00Z')))).toBe('2026-10-25T00:30:00Z')
    for (const later of ['2026-10-25T01:00:00Z', '2026-10-25T01:45:00Z']) {
      expect(iso(times.last(at(later)))).toBe('2026-10-25T00:30:00Z')
      expect(iso(times.next(at(later)))).toBe('2026-10-26T01:30:00Z')
    }
  })
})
