import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  footerOf,
  layOut,
  leftOut,
  readableColumns,
} from '../../../src/report/xlsx/print-layout.ts'

/** An A4 page inside the margins of the workbook, in points, and the width of a digit at 96 dpi. */
const PAGE = { portrait: { across: 537.7, down: 762 }, landscape: { across: 784, down: 516 } }
const DIGIT_PT = (7 / 96) * 72

/** The page of each row, as a spreadsheet program fills them. */
function pagesOf(part: Parameters<typeof layOut>[0]): number[] {
  const { orientation, fitToHeight, breaks } = layOut(part)
  const { across, down } = PAGE[orientation]
  const width = part.widths.reduce((sum, one) => sum + one, 0) * DIGIT_PT
  const room = down / Math.min(1, across / width)
  const { repeated = Infinity } = part
  let [page, used, first] = [1, 0, 1]
  return part.heights.map((height, at) => {
    const header = first > repeated ? (part.heights[repeated - 1] ?? 0) : 0
    if (fitToHeight === 0 && (breaks.includes(at) || used + height > room - header)) {
      page++
      used = 0
      first = at + 1
    }
    used += height
    return page
  })
}

const plain = { repeated: undefined, mixed: false }
const lines = (count: number): number[] => Array.from({ length: count }, () => 15)

describe('a printed sheet', () => {
  it('moves a table that does not fit on the page, with its heading, to the next page', () => {
    // A page in landscape has room for 33 rows of this width, in portrait for 50.
    const part = { ...plain, widths: [70], heights: lines(96), starts: [1, 31, 61] }
    const { orientation, breaks } = layOut(part)
    expect({ orientation, breaks }).toEqual({ orientation: 'portrait', breaks: [30, 60] })
  })

  it('begins a table that is longer than a page where a third of the page is free', () => {
    const long = (from: number) =>
      layOut({ ...plain, widths: [70], heights: lines(150), starts: [1, from] }).breaks
    expect([long(20), long(45)]).toEqual([[], [44]])
  })

  it('never splits a block that fits on a page', () => {
    const blocks = fc.array(
      fc.array(fc.constantFrom(15, 32, 47), { minLength: 2, maxLength: 60 }),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    const options = {
      widths: fc.array(fc.integer({ min: 9, max: 60 }), { minLength: 1, maxLength: 8 }),
    }
    let examined = 0
    fc.assert(
      fc.property(blocks, options.widths, fc.boolean(), (given, widths, mixed) => {
        const starts: number[] = []
        const heights = given.flatMap((block, at) => {
          starts.push(given.slice(0, at).reduce((sum, { length }) => sum + length, 1))
          return block
        })
        const part = { widths, heights, starts, repeated: undefined, mixed }
        const pages = pagesOf(part)
        for (const [at, block] of given.entries()) {
          // The shortest page there is holds 480 points; the last row of a block is blank.
          const height = block.slice(0, -1).reduce((sum, one) => sum + one, 0)
          const from = (starts[at] ?? 1) - 1
          const on = new Set(pages.slice(from, from + block.length - 1))
          if (height <= 470) expect(on.size).toBe(1)
          if (height <= 470 && pages.at(-1) !== 1) examined++
        }
      }),
      { numRuns: 500 },
    )
    expect(examined).toBeGreaterThan(20)
  })

  it('has letters of at least 7 points, also where programs make columns wider', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 9, max: 46 }), { minLength: 1, maxLength: 40 }),
        (all) => {
          const widths = all.slice(0, readableColumns(all))
          // 1,045 pixels are the width of the page; digits that are not rounded to pixels have 7.43.
          const scale = Math.min(1, 1045 / (widths.reduce((sum, one) => sum + one, 0) * 7.43))
          expect(11 * scale).toBeGreaterThanOrEqual(7)
        },
      ),
    )
  })

  it('is one page if that is readable, and upright if its columns are narrow', () => {
    const of = (rows: number, widths: number[], mixed = false) =>
      layOut({ ...plain, widths, heights: lines(rows), starts: [1], mixed })
    const { fitToHeight: small } = of(70, [90])
    const { fitToHeight: long } = of(90, [90])
    expect([small, long]).toEqual([1, 0])
    const sides = [of(90, [120]), of(90, [143]), of(90, [143], true), of(90, [150], true)]
    expect(sides.map(({ orientation }) => orientation)).toEqual([
      'portrait',
      'landscape',
      'portrait',
      'landscape',
    ])
  })
})

describe('the footer of a printed sheet', () => {
  it.each([
    [['Verdict'], 'Verdict.'],
    [['Verdict', 'Coverage'], 'Verdict and Coverage.'],
    [['a', 'b', 'c', 'd'], 'a, b, c and d.'],
    [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more.'],
  ])('names the columns %j that are left out', (titles, said) => {
    expect(leftOut(titles)).toEqual([`Columns not printed: ${said}`])
  })

  it('has at most the 255 characters that Excel allows, and no half code', () => {
    const cut = leftOut(Array.from({ length: 9 }, () => '&'.repeat(60)))
    const footer = footerOf('&'.repeat(300), ['First 80 rows.', ...cut])
    expect(footer.length).toBeLessThanOrEqual(255)
    expect(footer.replaceAll('&&', '').match(/&/g)?.length).toBe('&L&8&R&8&P&N'.match(/&/g)?.length)
  })

  it('says nothing if everything is printed', () => {
    expect(leftOut([])).toEqual([])
    expect(footerOf('Report', [])).toBe('&L&8Report&R&8&P / &N')
  })
})
