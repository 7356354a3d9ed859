import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Table } from '../../../src/core/define/report.ts'
import { renderXlsx } from '../../../src/report/xlsx/xlsx.ts'
import { readMembers, writeMembers } from '../../helpers/rewrite-zip.ts'
import { exampleDocument } from '../../report/page/document.ts'
import { linesOf, wanted } from '../../report/xlsx/books.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-edited-'))
})
afterAll(() => rm(directory, { recursive: true }))

const SHEET = 'xl/worksheets/sheet2.xml'
const TABLE = 'xl/tables/table1.xml'

/** Makes a workbook with a list, changes parts of it as Excel would, and returns the lines read back. */
async function edited(name: string, changes: Record<string, (xml: string) => string>) {
  const path = join(directory, `${name}.xlsx`)
  const list: Table = {
    kind: 'table',
    title: 'List',
    columns: [
      { name: 'number', title: 'Number', format: 'text' },
      { name: 'site', title: 'Site', format: 'text', editable: { allowed: ['Here', 'There'] } },
    ],
    rows: [
      ['+1', 'Here'],
      ['+2', 'There'],
      ['+3', 'Here'],
    ],
  }
  const note = { kind: 'note', tone: 'good', text: 'All of it.' } as const
  const sections = [
    { title: 'First', blocks: [note] },
    { title: 'List', blocks: [list] },
  ]
  await renderXlsx({ ...exampleDocument(), sections }, path)
  const members = await readMembers(path)
  for (const [part, change] of Object.entries(changes)) {
    const before = String(members.get(part))
    const after = change(before)
    expect([part, after]).not.toEqual([part, before])
    members.set(part, Buffer.from(after))
  }
  await writeMembers(path, members)
  const lines = await linesOf(path, wanted('List', 'Number', 'Site'))
  return lines.map(({ cells }) => `${cells.Number} ${cells.Site}`)
}

const FILTER = '<filterColumn colId="1"><filters><filter val="Here"/></filters></filterColumn>'
const SUM = '<c r="B10"><f>SUBTOTAL(103,List[Site])</f><v>3</v></c>'
const inline = (place: string, text: string): string =>
  `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`

describe('a table of a workbook is read back', () => {
  it('unchanged if its sheet is no longer protected', async () => {
    expect(
      await edited('open', { [SHEET]: (xml) => xml.replace(/<sheetProtection[^>]*>/, '') }),
    ).toEqual(['+1 Here', '+2 There', '+3 Here'])
  })

  it('with the lines that a filter hides', async () => {
    const lines = await edited('filtered', {
      [SHEET]: (xml) => xml.replace('<row r="8"', '<row r="8" hidden="1"'),
      [TABLE]: (xml) =>
        xml.replace(/<autoFilter ref="([^"]*)"\/>/, `<autoFilter ref="$1">${FILTER}</autoFilter>`),
    })
    expect(lines).toEqual(['+1 Here', '+2 There', '+3 Here'])
  })

  it('in its sorted order', async () => {
    const lines = await edited('sorted', {
      [SHEET]: (xml) => {
        const [first = '', last = ''] = [/<c r="A7".*?<\/c>/, /<c r="A9".*?<\/c>/].map(
          (cell) => cell.exec(xml)?.[0] ?? '',
        )
        return xml
          .replace(first, '<!---->')
          .replace(last, first.replace('A7', 'A9'))
          .replace('<!---->', last.replace('A9', 'A7'))
      },
    })
    expect(lines).toEqual(['+3 Here', '+2 There', '+1 Here'])
  })

  it('with lines that were added below', async () => {
    const lines = await edited('extended', {
      [SHEET]: (xml) =>
        xml.replace(
          '</sheetData>',
          `<row r="10">${inline('A10', '+4')}${inline('B10', 'There')}</row></sheetData>`,
        ),
      [TABLE]: (xml) => xml.replaceAll('A6:B9', 'A6:B10'),
    })
    expect(lines).toEqual(['+1 Here', '+2 There', '+3 Here', '+4 There'])
  })

  it('without its totals row', async () => {
    const lines = await edited('totals', {
      [SHEET]: (xml) =>
        xml.replace(
          '</sheetData>',
          `<row r="10">${inline('A10', 'Total')}${SUM}</row></sheetData>`,
        ),
      [TABLE]: (xml) =>
        xml
          .replace('ref="A6:B9" totalsRowShown="0"', 'ref="A6:B10" totalsRowCount="1"')
          .replace('name="Number"/>', 'name="Number" totalsRowLabel="Total"/>'),
    })
    expect(lines).toEqual(['+1 Here', '+2 There', '+3 Here'])
  })
})
