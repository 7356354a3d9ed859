import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { addMonths, zonedDayStartMs, zonedInstant } from '../../src/core/time/zone.ts'
import { holds } from './holds.ts'

/** Zones whose clocks jump at midnight, by half an hour, or over a whole day are among them. */
const zones = fc.constantFrom(
  'UTC',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'America/Asuncion',
  'America/Havana',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
)
const days = fc
  .date({ min: new Date('2012-01-02'), max: new Date('2037-12-30'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

it('a local day begins at its first instant', async () => {
  await holds(
    fc.property(zones, days, (zone, day) => {
      const start = zonedDayStartMs(day, zone)
      expect(zonedInstant(start, zone).slice(0, 10)).toBe(day)
      expect(zonedInstant(start - 1000, zone).slice(0, 10) < day).toBe(true)
    }),
  )
})

it.each([
  ['2014-10-19', 'America/Sao_Paulo', '2014-10-19T03:00:00Z'],
  ['2017-10-01', 'America/Asuncion', '2017-10-01T04:00:00Z'],
  ['2013-03-10', 'America/Havana', '2013-03-10T05:00:00Z'],
  ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['2013-11-03', 'America/Havana', '2013-11-03T04:00:00Z'],
])('if midnight is skipped or repeated, %s in %s begins at %s', (day, zone, instant) => {
  expect(new Date(zonedDayStartMs(day, zone)).toISOString()).toBe(instant.replace('Z', '.000Z'))
})

it('adding months and subtracting them again returns the same month', async () => {
  await holds(
    fc.property(days, fc.integer({ min: -200, max: 200 }), (day, count) => {
      const month = day.slice(0, 7)
      expect(addMonths(addMonths(month, count), -count)).toBe(month)
    }),
  )
})
