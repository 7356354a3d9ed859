import { describe, expect, it } from 'vitest'
import { checkTimeZone, isTimeZone } from '../../../src/core/time/zone.ts'

describe('a time zone', () => {
  it.each(['UTC', 'gmt', 'Europe/Berlin', 'Etc/GMT+5', 'EST5EDT', 'asia/kolkata'])(
    'may be named as %s, which means the same in SQL',
    (name) => {
      expect(isTimeZone(name)).toBe(true)
      expect(checkTimeZone(name)).toBe(name)
    },
  )

  // The last one begins with the sign that typesetters use for minus.
  it.each(['+05:00', '-0500', '+05', '\u221205:00'])(
    'is no offset such as %s, whose sign SQL reads the other way round',
    (name) => {
      expect(isTimeZone(name)).toBe(false)
      expect(() => checkTimeZone(name)).toThrow('an IANA name such as Europe/Berlin')
    },
  )

  it.each(['CET', 'IST', 'pst', 'Japan'])(
    'is no word such as %s, which SQL may abbreviate',
    (name) => {
      expect(isTimeZone(name)).toBe(false)
      expect(() => checkTimeZone(name)).toThrow('an IANA name such as Europe/Berlin')
    },
  )

  it.each(['', 'UTC+5', 'Europe/Berlim'])('is not %j, which does not exist', (name) => {
    expect(isTimeZone(name)).toBe(false)
    expect(() => checkTimeZone(name)).toThrow(JSON.stringify(name))
  })
})
