import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderXlsx } from '../../../src/report/xlsx/xlsx.ts'
import { exampleDocument, row } from '../page/document.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-heights-'))
})
afterAll(() => rm(directory, { recursive: true }))

/** For a table in memory and a streamed one: the heights of the rows, the width of the first column. */
async function written(texts: readonly string[]) {
  const path = join(directory, 'heights.xlsx')
  await renderXlsx(exampleDocument(texts.map(row)), path)
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.readFile(path)
  return ['List', 'Detail'].map((name) => {
    const sheet = workbook.getWorksheet(name)
    // A row without a height of its own is undefined here.
    const heights = texts.map((_text, at) => sheet?.getRow(FIRST + at).height || undefined)
    return { heights, width: sheet?.getColumn(1).width ?? 0 }
  })
}

describe.each([
  ['in memory', 0],
  ['streamed', 1],
])('a table that is %s', (_kind, at) => {
  it('has rows as high as their wrapped text, and no set height for rows of one line', async () => {
    const address = '262 Harbour Street, 12161, São Paulo, São Paulo County, SP, BR'
    const texts = ['short', address, `${address}; ${address}`, 'two\nlines', 'Rua Augusta 3']
    const { heights } = (await written(texts))[at] ?? {}
    expect(heights).toEqual([1, 2, 3, 2, 1].map(heightOf))
  })

  it('has a higher row for wide letters, even if they are few', async () => {
    const texts = ['W'.repeat(40), 'i'.repeat(60), '次回まで'.repeat(9), '\u{1f600}'.repeat(40)]
    const { heights } = (await written([...texts, 'two words']))[at] ?? {}
    expect(heights).toEqual([2, 1, 2, 2, 1].map(heightOf))
  })

  it('has a wider column instead of a wrapped hash', async () => {
    const hash = 'd1f6c86b5a2fd1f6a8f1c64f0eb1f4aa87ffb2e5cd2df3a0fd0d3b5e8f2a9c17'
    const { heights, width } = (await written([hash, hash]))[at] ?? {}
    expect(heights).toEqual([1, 1].map(heightOf))
    expect(width).toBeGreaterThan(hash.length)
  })

  it('has no row higher than Excel allows', async () => {
    const { heights } = (await written(['word '.repeat(6_000), 'x\n'.repeat(9_000)]))[at] ?? {}
    expect(heights).toEqual([409, 409])
  })
})

/** The first row of the table, after title, subtitle, an empty row and the header. */
const FIRST = 5

function heightOf(lines: number): number | undefined {
  return lines === 1 ? undefined : lines * 15 + 2
}
