import { describe, expect, it } from 'vitest'
import { checkTimeZone, isTimeZone } from '../../../src/core/time/zone.ts'

describe('a time zone', () => {
  it.each(['UTC', 'gmt', 'Europe/Berlin', 'Etc/GMT+5', 'EST5EDT', 'asia/kolkata'])(
    'can be %s, which means the same in SQL',
    (name) => {
      expect(isTimeZone(name)).toBe(true)
      expect(checkTimeZone(name)).toBe(name)
    },
  )

  // The last one begins with U+2212, the typographic minus.
  it.each(['+05:00', '-0500', '+05', '\u221205:00'])(
    'cannot be an offset such as %s, whose sign SQL inverts',
    (name) => {
      expect(isTimeZone(name)).toBe(false)
      expect(() => checkTimeZone(name)).toThrow('an IANA name such as Europe/Berlin')
    },
  )

  it.each(['CET', 'IST', 'pst', 'Japan'])(
    'cannot be %s, which SQL may treat as an abbreviation',
    (name) => {
      expect(isTimeZone(name)).toBe(false)
      expect(() => checkTimeZone(name)).toThrow('an IANA name such as Europe/Berlin')
    },
  )

  it.each(['', 'UTC+5', 'Europe/Berlim'])('cannot be %j, which does not exist', (name) => {
    expect(isTimeZone(name)).toBe(false)
    expect(() => checkTimeZone(name)).toThrow(JSON.stringify(name))
  })
})
