import { expect, it } from 'vitest'
import type { Cell, Section, StreamedRows, Table } from '../../../src/core/define/report.ts'
import { exampleDocument, htmlPage, row, table } from './document.ts'

const MANY = 200_000

/** Rows like those of a cursor, some hundred at a time. */
function many(count: number): StreamedRows {
  const batch = (from: number): Cell[][] =>
    Array.from({ length: Math.min(500, count - from) }, (_none, at) =>
      row(`+1415${from + at} ${'Ünïtel '.repeat(6)}`),
    )
  return {
    // biome-ignore lint: reads like a cursor, some rows at a time
    async *stream() {
      for (let from = 0; from < count; from += 500) yield batch(from)
    },
    first: (limit) => Promise.resolve(batch(0).slice(0, limit)),
  }
}

const sectionOf = (title: string, rows: Table['rows']): Section => ({
  title,
  blocks: [table(rows, title)],
})
const pageOf = (...sections: Section[]): Promise<string> =>
  htmlPage({ ...exampleDocument(), sections })

/** How many rows the page has of each table, for its script. */
function rowCounts(page: string): number[] {
  return page
    .split('<section ')
    .slice(1)
    .map((part) =>
      [...part.matchAll(/<script type="application\/json">([^<]*)<\/script>/g)].reduce(
        (sum, [, json = '']) => sum + (JSON.parse(json) as unknown[]).length,
        0,
      ),
    )
}

it('a page of 200,000 rows stays small enough for a mail, and says where all rows are', async () => {
  const page = await pageOf(sectionOf('All numbers', many(MANY)), sectionOf('Later', many(300)))
  expect(Buffer.byteLength(page)).toBeLessThan(12 * 2 ** 20)
  const [first = 0, later] = rowCounts(page)
  expect(first).toBeGreaterThan(20_000)
  expect(page).toContain(
    `This page has only the first ${first.toLocaleString('en-US')} of 200,000 rows`,
  )
  expect(page).toContain('in the workbook, sheet “All numbers”')
  // A table after it still shows its first rows, and says so too.
  expect(later).toBe(100)
  expect(page).toContain('only the first 100 of 300 rows')
})

it('a page has every row of smaller tables, without a note about missing rows', async () => {
  const page = await pageOf(sectionOf('All numbers', many(3_000)), sectionOf('Later', many(300)))
  expect(rowCounts(page)).toEqual([3_000, 300])
  expect(page).not.toContain('This page has only')
})
