import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Section, Table, TableColumn } from '../../../src/core/define/report.ts'
import { renderXlsx } from '../../../src/report/xlsx/xlsx.ts'
import { exampleDocument, table } from '../page/document.ts'
import { readZip } from './read-zip.ts'
import { tableFaults } from './table-parts.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-fill-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function render(sections: readonly Section[]): Promise<Map<string, string>> {
  const path = join(directory, 'a.xlsx')
  await renderXlsx({ ...exampleDocument(), sections }, path)
  return readZip(await readFile(path))
}

const FIRST: Section = {
  title: 'First',
  blocks: [{ kind: 'note', tone: 'good', text: 'All of it.' }],
}
const sheetOf = (parts: Map<string, string>, number: number): string =>
  parts.get(`xl/worksheets/sheet${number}.xml`) ?? ''
const namesOf = (parts: Map<string, string>): string[] =>
  [...(parts.get('xl/workbook.xml') ?? '').matchAll(/<sheet [^>]*name="([^"]*)"/g)].map(
    ([, name = '']) => name,
  )

describe('cells that a person may edit', () => {
  const columns: TableColumn[] = [
    { name: 'number', title: 'Number', format: 'text' },
    { name: 'product', title: 'Product', format: 'text', editable: { allowed: ['A', 'B'] } },
    { name: 'site', title: 'Site', format: 'text', editable: {} },
  ]
  const list: Table = {
    kind: 'table',
    title: 'List',
    columns,
    rows: [
      ['1', 'A', null],
      ['2', null, '=x'],
    ],
  }
  let parts: Map<string, string>
  beforeAll(async () => {
    parts = await render([FIRST, { title: 'List', blocks: [list] }])
  })
  const styles = (): string[] =>
    [
      ...(
        /<cellXfs[^>]*>(.*)<\/cellXfs>/.exec(parts.get('xl/styles.xml') ?? '')?.[1] ?? ''
      ).matchAll(/<xf [^>]*?(?:\/>|>.*?<\/xf>)/g),
    ].map(([xf]) => xf)

  it('are unlocked, even empty ones, and all others are locked', () => {
    const cells = [...sheetOf(parts, 2).matchAll(/<c r="([A-C][78])" s="(\d+)"/g)]
    expect(cells).toHaveLength(6)
    for (const [, place = '', style] of cells) {
      const open = styles()[Number(style)]?.includes('locked="0"')
      expect([place, open]).toEqual([place, !place.startsWith('A')])
    }
    expect(sheetOf(parts, 2)).toMatch(/<sheetProtection sheet="1"[^>]* autoFilter="0"\/>/)
    expect(sheetOf(parts, 2)).not.toMatch(/<sheetProtection[^>]*(password|hashValue|sort)/)
    expect(sheetOf(parts, 1)).not.toContain('sheetProtection')
  })

  it('offer a list of the allowed values if these are known', () => {
    expect(sheetOf(parts, 2)).toMatch(
      /<dataValidation type="list"[^>]*sqref="B7:B8"><formula1>&quot;A,B&quot;<\/formula1>/,
    )
    expect(sheetOf(parts, 2)).toMatch(/<dataValidation allowBlank[^>]*sqref="C7:C8"\/>/)
  })

  it('are below a note that says what can be edited, and how to sort', () => {
    const texts = parts.get('xl/sharedStrings.xml') ?? ''
    expect(texts).toMatch(
      /Edit here: the tinted cells under Product and Site\..*to sort, unprotect/,
    )
    expect(tableFaults(parts)).toEqual([])
  })

  it.each([
    ['too many', Array.from({ length: 90 }, (_none, at) => `value${at}`)],
    ['with a comma', ['a,b', 'c']],
  ])('offer a list from a hidden sheet if the allowed values are %s', async (_what, allowed) => {
    const [number, product] = columns
    if (number === undefined || product === undefined) throw new Error('no columns')
    const told: Table = { ...list, columns: [number, { ...product, editable: { allowed } }] }
    const made = await render([FIRST, { title: 'List', blocks: [told] }])
    const xml = sheetOf(made, 2)
    const range = `'Lists'!$A$5:$A$${4 + allowed.length}`
    expect(xml).toContain(`<formula1>${range}</formula1>`)
    expect(xml).not.toContain('errorStyle')
    expect(made.get('xl/workbook.xml')).toMatch(/<sheet [^>]*name="Lists" state="hidden"/)
    expect(textsIn(made, sheetOf(made, 3)).slice(-allowed.length)).toEqual(allowed)
    const [, prompt = ''] = / prompt="([^"]*)"/.exec(xml) ?? []
    expect(prompt).toMatch(/^Product: /)
    expect(prompt.length).toBeLessThanOrEqual(255)
  })
})

describe('columns whose values may be new', () => {
  const sites = ['Berlin', 'Łódź, Poland', '=Paris']
  const columnOf = (more: Partial<TableColumn>): TableColumn => ({
    name: 'site',
    title: 'Site',
    format: 'text',
    ...more,
  })
  const tableWith = (column: TableColumn, count: number): Table => ({
    ...table([], 'List'),
    columns: [column],
    rows: Array.from({ length: count }, () => ['Berlin']),
    empty: '',
  })
  const rulesOf = async (column: TableColumn, count: number) => {
    const parts = await render([FIRST, { title: 'List', blocks: [tableWith(column, count)] }])
    expect(tableFaults(parts)).toEqual([])
    const [rule = ''] = /<dataValidation .*<\/dataValidation>/.exec(sheetOf(parts, 2)) ?? []
    return { parts, rule }
  }

  it('offer the known values, and warn of others instead of refusing them', async () => {
    const { parts, rule } = await rulesOf(columnOf({ editable: {}, suggested: sites }), 2)
    expect(rule).toContain(`<formula1>'Lists'!$A$5:$A$7</formula1>`)
    expect(rule).toMatch(/type="list" errorStyle="warning".* showErrorMessage="1".*sqref="A7:A8"/)
    expect(textsIn(parts, sheetOf(parts, 3)).slice(-3)).toEqual(sites)
    expect(sheetOf(parts, 2)).toContain('<sheetProtection')
  })

  it.each([2, 0])(
    'offer the known values in added rows of an open sheet with %i rows',
    async (count) => {
      const { parts, rule } = await rulesOf(columnOf({ suggested: sites }), count)
      expect(rule).toContain('sqref="A5:A1048576"')
      expect(sheetOf(parts, 2)).not.toContain('<sheetProtection')
    },
  )

  it('have a prompt without a list if no value is known', async () => {
    const { parts } = await rulesOf(columnOf({ editable: {}, suggested: [] }), 2)
    expect(sheetOf(parts, 2)).toMatch(/<dataValidation allowBlank[^>]*sqref="A7:A8"\/>/)
    expect(namesOf(parts)).toEqual(['First', 'List'])
  })
})

/** The texts of a sheet's cells, in order. */
function textsIn(parts: Map<string, string>, sheet: string): string[] {
  const texts = [...(parts.get('xl/sharedStrings.xml') ?? '').matchAll(/<t[^>]*>([^<]*)<\/t>/g)]
  return [...sheet.matchAll(/ t="s"><v>(\d+)</g)].map(([, at]) => texts[Number(at)]?.[1] ?? '')
}
