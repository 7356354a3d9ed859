import { describe, expect, it } from 'vitest'
import { bytesText, count, counted, duration } from '../../../src/core/values/quantities.ts'

describe('printed quantities', () => {
  it('have commas in numbers, whatever the language of the machine', () => {
    expect([0, 999, 1_000, 1_234_567].map(count)).toEqual(['0', '999', '1,000', '1,234,567'])
    expect(counted(1, 'run')).toBe('1 run')
    expect(counted(2_000, 'reply', 'replies')).toBe('2,000 replies')
  })

  it.each([
    [1, '1 byte'],
    [999, '999 bytes'],
    [20_480, '20.5 KB'],
    [999_949, '999.9 KB'],
    [999_950, '1.0 MB'],
    [107_374_182_400, '107.4 GB'],
    [1e19, '10000.0 PB'],
  ])('show %i bytes as %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text)
  })

  it.each([
    [90, '0.1 s'],
    [9_940, '9.9 s'],
    [61_000, '61 s'],
    [600_000, '10 min'],
    [11_100_000, '3 h 5 min'],
    [10_800_000, '3 h'],
    [260_000_000, '3 days'],
  ])('show %i ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text)
  })
})
