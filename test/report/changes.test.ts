import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Figure, Section, Table } from '../../src/core/define/report.ts'
import { renderXlsx } from '../../src/report/xlsx/xlsx.ts'
import { exampleDocument, htmlPage } from './page/document.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-changes-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function rendered(block: Section['blocks'][number]) {
  const document = { ...exampleDocument(), sections: [{ title: 'Changes', blocks: [block] }] }
  const path = join(directory, 'changes.xlsx')
  await renderXlsx(document, path)
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.readFile(path)
  return { sheet: workbook.getWorksheet('Changes'), page: await htmlPage(document) }
}

it.each<[Figure, string, number | string]>([
  [{ label: 'Share', value: 0.5238, before: 0.5242, format: 'percent' }, '±0.0\u00a0pp', 0],
  [{ label: 'Share', value: 0.524, before: 0.5234, format: 'percent' }, '+0.1\u00a0pp', 0.06],
  [{ label: 'Hours', value: 7.51, before: 7.47, format: 'decimal' }, '±0.0', 0],
  [{ label: 'Length', value: 62, before: 60, format: 'seconds' }, '+0:00:02', '+0:00:02'],
])('a report shows the rounded change of %j as %s', async (figure, text, stored) => {
  const figures = [{ ...figure, better: 'lower' as const }]
  const { sheet, page } = await rendered({ kind: 'figures', title: 'Figures', figures })
  const [, mood, told] = /<dd class="before"><span class="([^"]*)">([^<]*)</.exec(page) ?? []
  expect([mood, told]).toEqual([text.startsWith('±') ? 'same' : 'up-bad', text])
  const cell = sheet?.getCell(6, 4)
  expect(cell?.value).toEqual(typeof stored === 'string' ? stored : expect.closeTo(stored, 12))
  expect(cell?.font.bold ?? false).toBe(stored !== 0)
})

function tableOf(tint: 'delta' | 'change'): Table {
  return {
    kind: 'table',
    title: 'Changes',
    columns: [
      { name: 'what', title: 'What', format: 'text' },
      { name: 'change', title: 'Change', format: 'percent', tint },
    ],
    rows: [
      ['more', 0.25],
      ['hardly less', -0.0004],
    ],
  }
}

it.each(['delta', 'change'] as const)(
  'a report shows signs in a column of tint "%s", and neither + nor - for zero',
  async (tint) => {
    const { sheet, page } = await rendered(tableOf(tint))
    expect([5, 6].map((at) => sheet?.getCell(at, 2).value)).toEqual([25, 0])
    expect(sheet?.getCell(5, 2).numFmt).toBe('+#,##0.0" pp";-#,##0.0" pp";#,##0.0" pp"')
    expect(page).toContain('>+25.0\u00a0pp<')
    expect(page).toContain('>±0.0\u00a0pp<')
    expect(page.includes('class="n up-bad"')).toBe(tint === 'delta')
    expect(page).not.toContain('class="n up-good"')
  },
)
