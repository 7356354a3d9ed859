import { describe, expect, it } from 'vitest'
import { largestBars, omittedText } from '../../reports/shared/largest-bars.ts'

const itself = (size: number): number => size

describe('the bars of a chart', () => {
  it('show every value if there are few', () => {
    const bars = largestBars([5, 4, 1], itself)
    expect(bars).toEqual({ shown: [5, 4, 1], others: [], omitted: 0 })
    expect(omittedText(bars)).toBe('')
  })

  it('include one bar for the sum of the others if it is not the tallest', () => {
    const bars = largestBars([50, 9, 8, 7, 6, 5, 4, 3, 20, 20], itself)
    expect(bars.shown).toEqual([50, 9, 8, 7, 6, 5, 4, 3])
    expect(bars.others).toEqual([20, 20])
  })

  it('show more values until the sum of the others is not the tallest bar', () => {
    // After eight bars the rest would add up to 8, which is the tallest; after nine bars to 2.
    const bars = largestBars([7, 7, 7, 7, 7, 7, 7, 7, 6, 1, 1], itself)
    expect(bars.shown).toHaveLength(9)
    expect(bars.others).toEqual([1, 1])
  })

  it('show the last value under its own name if it is the only one left', () => {
    const bars = largestBars([50, 9, 8, 7, 6, 5, 4, 3, 2], itself)
    expect(bars.shown).toHaveLength(9)
    expect(bars.others).toEqual([])
  })

  it('omit the sum of the others if it would always be the tallest, and state how many are shown', () => {
    const bars = largestBars(
      Array.from({ length: 340 }, () => 3),
      itself,
    )
    expect(bars.shown).toHaveLength(16)
    expect(bars.others).toEqual([])
    expect(omittedText(bars)).toBe(', the largest 16 of 340')
  })
})
