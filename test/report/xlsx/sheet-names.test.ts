import { describe, expect, it } from 'vitest'
import { sheetNames } from '../../../src/report/xlsx/xlsx-sheet-names.ts'

describe('the names of sheets', () => {
  it.each([
    ['Summary', 'Summary'],
    ['a/b [c]: d?', 'a b c d'],
    ["'quoted'", 'quoted'],
    ["the host's", 'the host’s'],
    ['History', 'History of changes'],
    ['   ', 'Sheet'],
    ['x'.repeat(40), 'x'.repeat(31)],
    // Excel counts UTF-16 code units, and a letter outside the basic plane has two.
    ['𝒳'.repeat(40), '𝒳'.repeat(15)],
  ])('make %j a name that Excel accepts', (title, name) => {
    expect(sheetNames([title])).toEqual([name])
  })

  it('are unique in any letter case, with a number that fits', () => {
    const long = 'x'.repeat(40)
    expect(sheetNames(['Users', 'users', long, long])).toEqual([
      'Users',
      'users (2)',
      'x'.repeat(31),
      `${'x'.repeat(27)} (2)`,
    ])
  })
})
