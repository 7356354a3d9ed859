import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderXlsx } from '../../../src/report/xlsx/xlsx.ts'
import { AWKWARD, exampleDocument, row, table } from '../page/document.ts'
import { readZip, rootChildren } from './read-zip.ts'

let directory: string
let parts: Map<string, string>
const part = (name: string): string => parts.get(name) ?? ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-xlsx-'))
  parts = await render('a.xlsx')
})
afterAll(() => rm(directory, { recursive: true }))

async function render(name: string, options = {}, document = exampleDocument()) {
  await renderXlsx(document, join(directory, name), options)
  return readZip(await readFile(join(directory, name)))
}

describe('the xlsx package', () => {
  it('has well-formed XML in every part', () => {
    expect(parts.size).toBeGreaterThan(20)
    for (const xml of parts.values()) expect(() => rootChildren(xml)).not.toThrow()
  })

  it('has a part for every relationship', () => {
    let followed = 0
    for (const [name, xml] of parts) {
      if (!name.endsWith('.rels')) continue
      const base = dirname(dirname(name))
      for (const [, target = ''] of xml.matchAll(/ Target="([^"]*)"/g)) {
        expect(parts.has(posix.normalize(posix.join(base, target)))).toBe(true)
        followed++
      }
    }
    expect(followed).toBeGreaterThan(12)
  })

  it('names a content type for every part, and for no missing one', () => {
    const types = part('[Content_Types].xml')
    const named = [...types.matchAll(/PartName="\/([^"]*)"/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !parts.has(name))).toEqual([])
    const bare = [...parts.keys()].filter(
      (name) => !name.endsWith('.rels') && name !== '[Content_Types].xml',
    )
    expect(bare.filter((name) => !named.includes(name))).toEqual([])
    expect(types.match(/drawingml\.chart\+xml/g)).toHaveLength(4)
  })

  it('keeps the elements of every sheet in the order of the schema', () => {
    const sheets = [...parts].filter(([name]) => name.startsWith('xl/worksheets/sheet'))
    expect(sheets).toHaveLength(6)
    const seen = new Set<string>()
    for (const [, xml] of sheets) {
      const places = rootChildren(xml).map((name) => SHEET_ORDER.indexOf(name))
      for (const name of rootChildren(xml)) seen.add(name)
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      expect(places).not.toContain(-1)
    }
    for (const name of [
      'tableParts',
      'conditionalFormatting',
      'hyperlinks',
      'ignoredErrors',
      'drawing',
    ])
      expect(seen).toContain(name)
  })

  it('has the same bytes for the same document', async () => {
    await render('b.xlsx')
    const [a, b] = await Promise.all(
      ['a.xlsx', 'b.xlsx'].map((name) => readFile(join(directory, name))),
    )
    expect(a?.equals(b ?? Buffer.alloc(0))).toBe(true)
    expect(part('docProps/core.xml')).toContain('2026-11-20T02:00:00Z')
  })
})

describe('the cells of a workbook', () => {
  it('never hold a formula', () => {
    const sheets = [...parts].filter(([name]) => name.startsWith('xl/worksheets/sheet'))
    expect(sheets.filter(([, xml]) => /<f[ >]/.test(xml))).toEqual([])
  })

  it.each(['List', 'Detail'])('keep every text unchanged, in the sheet %s', async (sheet) => {
    const workbook = new ExcelJS.Workbook()
    await workbook.xlsx.readFile(join(directory, 'a.xlsx'))
    const worksheet = workbook.getWorksheet(sheet)
    const texts = AWKWARD.map((_text, index) => worksheet?.getCell(5 + index, 1))
    expect(texts.map((cell) => cell?.text)).toEqual(AWKWARD)
    expect(texts.every((cell) => typeof cell?.value !== 'number')).toBe(true)
    const date = worksheet?.getCell(5, 2).value as Date
    expect(date.toISOString()).toBe('2026-10-31T00:00:00.000Z')
    expect(worksheet?.getCell(5, 3).value).toBe(0.25)
    const duration = worksheet?.getCell(5, 6).value as Date
    expect(duration.toISOString()).toBe('1899-12-30T01:01:01.000Z')
  })

  it('keep texts unchanged that no longer fit into the table of shared strings', async () => {
    const long = Array.from({ length: 140 }, (_none, at) => row(`${at}${'x'.repeat(30_000)}`))
    await render('many.xlsx', {}, exampleDocument([...long, ...AWKWARD.map(row)]))
    const many = readZip(await readFile(join(directory, 'many.xlsx')))
    expect(many.get('xl/worksheets/sheet3.xml')).toContain('t="inlineStr"')
    const workbook = new ExcelJS.Workbook()
    await workbook.xlsx.readFile(join(directory, 'many.xlsx'))
    const list = workbook.getWorksheet('List')
    const texts = AWKWARD.map((_text, index) => list?.getCell(5 + long.length + index, 1).text)
    expect(texts).toEqual(AWKWARD)
  })

  it.each([
    ['−0:02:00', 1800, 1920],
    ['+200:00:00', 4_320_000, 3_600_000],
  ])(
    'show a change of a duration as %s, like the page, because Excel shows no negative time',
    async (change, value, before) => {
      const label = 'Mean duration'
      const figures = [{ label, value, before, format: 'seconds', better: 'higher' } as const]
      const sections = [
        { title: 'Summary', blocks: [{ kind: 'figures', title: 'Figures', figures } as const] },
      ]
      await render('shorter.xlsx', {}, { ...exampleDocument(), sections })
      const workbook = new ExcelJS.Workbook()
      await workbook.xlsx.readFile(join(directory, 'shorter.xlsx'))
      let found: ExcelJS.Row | undefined
      workbook.eachSheet((sheet) =>
        sheet.eachRow((each) => {
          if (each.getCell(1).value === label) found = each
        }),
      )
      expect(found?.getCell(4).value).toBe(change)
      expect(found?.getCell(4).numFmt).toBe('@')
    },
  )

  it('show a figure’s last periods as a row of block characters that starts at zero', async () => {
    const trend = [null, 0, 400, 800]
    const figures = [
      { label: 'Sessions', value: 800, before: 400, format: 'integer', trend } as const,
    ]
    const sections = [
      { title: 'Summary', blocks: [{ kind: 'figures', title: 'Figures', figures } as const] },
    ]
    await render('trend.xlsx', {}, { ...exampleDocument(), sections })
    const workbook = new ExcelJS.Workbook()
    await workbook.xlsx.readFile(join(directory, 'trend.xlsx'))
    const found = workbook.worksheets[0]
      ?.getSheetValues()
      .find((cells) => Array.isArray(cells) && cells[1] === 'Sessions')
    expect(found).toEqual([undefined, 'Sessions', 800, 400, 400, '·▁▅█'])
  })

  it('mark text that looks like a formula, so that editing a cell does not make it one', () => {
    expect(part('xl/styles.xml')).toMatch(
      /<xf [^>]*quotePrefix="1"[^>]*><alignment [^>]*readingOrder="1"/,
    )
  })

  it('cut a text that is too long, and say so', async () => {
    const long = `${'x'.repeat(32_713)}\u{1d11e}${'y'.repeat(9_000)}`
    await render('long.xlsx', {}, exampleDocument([row(long)]))
    const workbook = new ExcelJS.Workbook()
    await workbook.xlsx.readFile(join(directory, 'long.xlsx'))
    const text = workbook.getWorksheet('List')?.getCell(5, 1).text ?? ''
    expect(text.length).toBeLessThanOrEqual(32_767)
    expect(text).toMatch(/… \[cut: 41715 characters in all\]$/)
    expect(text.isWellFormed()).toBe(true)
  })
})

describe('the sheets of a workbook', () => {
  it('continue on another sheet when they are full', async () => {
    const rows = Array.from({ length: 25 }, (_none, index) => row(`n${index}`))
    const document = exampleDocument()
    const sections = [...document.sections.slice(0, 2), { title: 'List', blocks: [table(rows)] }]
    await render('split.xlsx', { maxRows: 14 }, { ...document, sections })
    const workbook = new ExcelJS.Workbook()
    await workbook.xlsx.readFile(join(directory, 'split.xlsx'))
    const split = workbook.worksheets.filter(({ name }) => name.startsWith('List'))
    expect(split.map(({ name }) => name)).toEqual(['List', 'List (2)', 'List (3)'])
    const read = split.flatMap((sheet) =>
      sheet.getColumn(1).values.filter((value) => /^n\d+$/.test(String(value))),
    )
    expect(read).toEqual(rows.map(([name]) => name))
    expect(split.every((sheet) => sheet.rowCount <= 14)).toBe(true)
  })

  it('freeze the header and first column of a single table, and filter its rows', () => {
    const list = part('xl/worksheets/sheet3.xml')
    expect(list).toContain('xSplit="1" ySplit="4"')
    expect(list).not.toContain('autoFilter')
    const filters = [...parts].filter(([, xml]) =>
      xml.includes(`<autoFilter ref="A4:F${4 + AWKWARD.length}"/>`),
    )
    expect(filters.map(([name]) => name)).toEqual(['xl/tables/table1.xml', 'xl/tables/table2.xml'])
  })

  it('end the axis at 100 % only in charts of shares', () => {
    const scale = (chart: string) =>
      /<c:valAx>.*?<c:scaling>(.*?)<\/c:scaling>/s.exec(part(chart))?.[1]
    expect(scale('xl/charts/chart2.xml')).toContain('<c:max val="1"/>')
    expect(scale('xl/charts/chart1.xml')).not.toContain('<c:max')
  })

  it('have charts with numbers from the sheet of chart data', async () => {
    const chart = part('xl/charts/chart1.xml')
    expect(chart).toContain("<c:f>'Chart data'!$B$6:$B$8</c:f>")
    const workbook = new ExcelJS.Workbook()
    await workbook.xlsx.readFile(join(directory, 'a.xlsx'))
    const data = workbook.getWorksheet('Chart data')
    expect([6, 7, 8].map((at) => data?.getCell(at, 2).value)).toEqual([5, 6, null])
    expect(chart).toContain('<c:grouping val="stacked"/>')
    expect(part('xl/charts/chart2.xml')).toContain('<c:grouping val="percentStacked"/>')
    expect(part('xl/charts/chart3.xml')).toContain('<c:lineChart>')
  })

  it('fail with the error of rows that cannot be read', async () => {
    const broken = table({
      first: async () => [row('first')],
      // biome-ignore lint: fails before it yields, as a lost connection does
      async *stream() {
        yield [row('first')]
        throw new Error('the connection was lost')
      },
    })
    const document = exampleDocument()
    const sections = [...document.sections.slice(0, 1), { title: 'List', blocks: [broken] }]
    const failing = renderXlsx({ ...document, sections }, join(directory, 'broken.xlsx'))
    await expect(failing).rejects.toThrow('the connection was lost')
  })
})

const SHEET_ORDER =
  `sheetPr dimension sheetViews sheetFormatPr cols sheetData sheetCalcPr sheetProtection
  protectedRanges scenarios autoFilter sortState dataConsolidate customSheetViews mergeCells phoneticPr
  conditionalFormatting dataValidations hyperlinks printOptions pageMargins pageSetup headerFooter rowBreaks
  colBreaks customProperties cellWatches ignoredErrors smartTags drawing legacyDrawing legacyDrawingHF picture
  oleObjects controls webPublishItems tableParts extLst`.split(/\s+/)
