import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDuration } from '../../../src/core/define/column.ts'
import { parseDate, parseInstant } from '../../../src/core/time/instant.ts'
import { toMinutes, utcMinutes } from '../../../src/core/time/time.ts'

test('every format of a time that the service uses is read', () => {
  const table = {
    '2026-05-01T10:00:00Z': '2026-05-01T10:00:00Z',
    '2026-05-01T10:00:00.5Z': '2026-05-01T10:00:00.5Z',
    '2026-05-01T10:00:00.1234567Z': '2026-05-01T10:00:00.123456Z',
    '2026-05-01T10:00:00.000Z': '2026-05-01T10:00:00Z',
    '2026-05-01T12:00:00+02:00': '2026-05-01T10:00:00Z',
    '2026-05-01T00:30:00+0530': '2026-04-30T19:00:00Z',
    '2024-02-20 15:31:33': '2024-02-20T15:31:33Z',
    '2024-02-29': '2024-02-29T00:00:00Z',
  }
  for (const [wire, instant] of Object.entries(table)) expect(parseInstant(wire)).toBe(instant)
})

test.each([
  // ISO 8601 without separators, or with some of them.
  ['20261127T010203Z', '2026-11-27T01:02:03Z'],
  ['20261127T010203.25Z', '2026-11-27T01:02:03.25Z'],
  ['20261127T010203+0530', '2026-11-26T19:32:03Z'],
  ['20261127T010203-05', '2026-11-27T06:02:03Z'],
  ['20261127T0102Z', '2026-11-27T01:02:00Z'],
  ['20261127t010203z', '2026-11-27T01:02:03Z'],
  ['20261127', '2026-11-27T00:00:00Z'],
  ['2026-11-27T010203Z', '2026-11-27T01:02:03Z'],
  ['20261127T01:02:03Z', '2026-11-27T01:02:03Z'],
  // Omitted parts, and other legal characters.
  ['2026-11-27T01Z', '2026-11-27T01:00:00Z'],
  ['2026-11-27T01:02:03,25Z', '2026-11-27T01:02:03.25Z'],
  ['2026-11-27t01:02:03z', '2026-11-27T01:02:03Z'],
  [' 2026/11/27 01:02:03 UTC ', '2026-11-27T01:02:03Z'],
  ['2026-11-27T01:02:03\u221205:00', '2026-11-27T06:02:03Z'],
  // The end of a day, and a leap second there.
  ['2026-11-27T24:00:00Z', '2026-11-28T00:00:00Z'],
  ['2026-12-31T24:00Z', '2027-01-01T00:00:00Z'],
  ['20261231T240000Z', '2027-01-01T00:00:00Z'],
  ['2026-11-27T24:00:00+02:00', '2026-11-27T22:00:00Z'],
  ['2026-12-31T23:59:60Z', '2027-01-01T00:00:00Z'],
  ['2026-12-31T23:59:60.5Z', '2027-01-01T00:00:00.5Z'],
  ['2027-01-01T05:29:60+05:30', '2027-01-01T00:00:00Z'],
  // As in HTTP headers.
  ['Fri, 27 Nov 2026 01:02:03 GMT', '2026-11-27T01:02:03Z'],
  ['27 Nov 2026 01:02:03 +0200', '2026-11-26T23:02:03Z'],
])('a time in the standard format %s is read', (wire, instant) => {
  expect(parseInstant(wire)).toBe(instant)
})

test.each([
  '2026-331T01:02:03Z',
  '2026-W48-5T01:02:03Z',
  '2026-11-27T01:02,5Z',
  '2026-11-27T01.25Z',
  '2026-11-27T01:0203Z',
  '2026-11-27T0102:03Z',
  '2026-1127',
  '20261127010203',
  '2026-11-27T01:02:03+01:00[Europe/Berlin]',
  'Friday, 27-Nov-26 01:02:03 GMT',
  'Fri Nov 27 01:02:03 2026',
])('a time in an undocumented format is rejected: %s', (wire) => {
  expect(parseInstant(wire)).toBeUndefined()
})

test('an invalid time is rejected instead of shifted', () => {
  const broken = [
    '',
    '2026-02-29',
    '2026-13-01',
    '2026-05-01T24:00:01Z',
    '2026-05-01T24:00:00.1Z',
    '2026-05-01T25:00:00Z',
    '2026-05-01T23:59:61Z',
    '2026-05-01T23:59:60+02:00',
    '20260229T000000Z',
    'Thu, 27 Nov 2026 01:02:03 GMT',
    'Fri, 31 Nov 2026 01:02:03 GMT',
    'Fri, 27 Nov 2026 01:02:03 EST',
    '27/11/2026 01:02:03',
    '202611270102',
    '20261327010203',
    '2026-05-01T10:00:60Z',
    '0000-01-01',
    'now',
  ]
  for (const wire of [...broken, '2026-05-01T10:00:00+15:00', '1714557600'])
    expect(parseInstant(wire)).toBeUndefined()
})

test('any printed instant is read as the same instant', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true }),
      (at) => {
        expect(Date.parse(parseInstant(at.toISOString()) ?? '')).toBe(at.getTime())
      },
    ),
  )
})

test('only existing days are accepted as dates', () => {
  expect(parseDate('2026-05-01')).toBe('2026-05-01')
  expect(parseDate('2026-05-01T00:00:00Z')).toBeUndefined()
  expect(parseDate('2026-06-31')).toBeUndefined()
})

test('durations as hh:mm:ss and mm:ss are read, also above a day, and others are rejected', () => {
  expect(parseDuration('01:02:03')).toBe('3723')
  expect(parseDuration('02:03')).toBe('123')
  expect(parseDuration('27:00:00')).toBe('97200')
  for (const wire of ['', '1', '00:60:00', '00:00:61', '-01:00:00', '1:2:3:4'])
    expect(parseDuration(wire)).toBeUndefined()
})

test('the fast path for plain times has the same result as the full parser', () => {
  const part = (most: number) =>
    fc.integer({ min: 0, max: most }).map((n) => `${n}`.padStart(2, '0'))
  const parts = fc.tuple(part(13), part(32), part(25), part(61), part(61))
  const years = fc.constantFrom('2024', '2026', '2100', '0100', '0099', '2x26')
  fc.assert(
    fc.property(years, parts, (year, [month, day, hour, minute, second]) => {
      const plain = `${year}-${month}-${day}T${hour}:${minute}:${second}`
      // With a fraction the full parser reads the same time.
      expect(parseInstant(`${plain}Z`)).toBe(parseInstant(`${plain}.0Z`))
    }),
    { numRuns: 5_000 },
  )
})

test('an instant is formatted to the minute', () => {
  const late = Date.UTC(2026, 11, 31, 23, 59, 59, 999)
  expect(utcMinutes(late)).toBe('2026-12-31 23:59')
  expect(toMinutes('2027-01-01T01:59:59+02:00')).toBe('2027-01-01 01:59')
})
