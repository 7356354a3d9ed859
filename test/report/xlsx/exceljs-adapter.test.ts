import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as adapter from '../../../src/report/xlsx/exceljs-adapter.ts'
import type { Part } from '../../../src/report/xlsx/package-xml.ts'
import { SheetStream } from '../../../src/report/xlsx/sheet-stream.ts'
import { readZip } from './read-zip.ts'

/** Each test is named after the members of ExcelJS on which the adapter relies. */
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-adapter-'))
})
afterAll(() => rm(directory, { recursive: true }))

class Writer extends adapter.ExcelWriter {
  readonly bold = this.styleId({ font: { bold: true } })

  protected override rewritten(name: string, xml: string): string {
    if (name.endsWith('theme1.xml')) return xml.replace('<a:theme ', '<!-- seen --><a:theme ')
    return name.endsWith('/workbook.xml') ? xml.replace('<sheets>', '<!-- seen --><sheets>') : xml
  }

  protected override lastParts(): readonly Part[] {
    return [{ name: 'xl/more.xml', xml: '<more/>' }]
  }

  text(text: string): number {
    return this.addText(text)
  }
}

const AT = Date.UTC(2026, 10, 20, 2, 30, 8)
const open = (name: string): Writer =>
  new Writer(join(directory, name), { title: 'A & B', asOfMs: AT })

async function written(): Promise<{ zip: Buffer; parts: Map<string, string> }> {
  const writer = open('a.xlsx')
  const sheet = writer.addWorksheet('One')
  sheet.columns = [{ width: 33 }]
  adapter.endWith(sheet, {
    afterRows: () => '<sheetProtection sheet="1"/>',
    afterFormats: () => '<hyperlinks><hyperlink ref="A1" location="One!A1"/></hyperlinks>',
    last: (relate) => `<drawing r:id="${relate('kind/of', '../to.xml')}"/>`,
  })
  const cells = [writer.text('first'), writer.text('second')].map((index) => `<v>${index}</v>`)
  adapter.beginRows(sheet)
  adapter.sheetStream(sheet).write(`<row r="1"><c r="A1" s="${writer.bold}">${cells[1]}</c></row>`)
  adapter.mergeCells(sheet, 'A1:B1')
  adapter.breakAfter(sheet, 1)
  sheet.addConditionalFormatting({
    ref: 'A1',
    rules: [{ type: 'cellIs', operator: 'equal', priority: 1, formulae: [1], style: {} }],
  })
  sheet.commit()
  const done = finished(writer.stream)
  await writer.commit()
  await done
  const zip = await readFile(join(directory, 'a.xlsx'))
  return { zip, parts: readZip(zip) }
}

describe('the private members of ExcelJS', () => {
  let zip: Buffer
  let parts: Map<string, string>
  let sheet: string
  beforeAll(async () => {
    ;({ zip, parts } = await written())
    sheet = parts.get('xl/worksheets/sheet1.xml') ?? ''
  })

  it('created: is the time of every part of the zip', () => {
    // 2026-11-20, 02:30:08 as a zip encodes it.
    const date = ((2026 - 1980) << 9) | (11 << 5) | 20
    const local = new Date(AT)
    const time = (local.getHours() << 11) | (local.getMinutes() << 5) | (local.getSeconds() / 2)
    let entries = 0
    for (
      let at = zip.indexOf('PK\u0001\u0002');
      at >= 0;
      at = zip.indexOf('PK\u0001\u0002', at + 1)
    ) {
      entries++
      expect([zip.readUInt16LE(at + 12), zip.readUInt16LE(at + 14)]).toEqual([time, date])
    }
    expect(entries).toBe(parts.size)
  })

  it('title: is in the document properties', () => {
    expect(parts.get('docProps/core.xml')).toContain('<dc:title>A &amp; B</dc:title>')
  })

  it('zip.append, addThemes: let us rewrite every part of the file, even the first parts', () => {
    expect(parts.get('xl/workbook.xml')).toContain('<!-- seen --><sheets>')
    expect(parts.get('xl/theme/theme1.xml')).toContain('<!-- seen --><a:theme ')
  })

  it('addContentTypes: is called while our parts can still be added to the zip', () => {
    expect(parts.get('xl/more.xml')).toBe('<more/>')
  })

  it('styles.addStyleModel: returns the number of a style', () => {
    expect(sheet).toMatch(/<c r="A1" s="[1-9]\d*">/)
    expect(parts.get('xl/styles.xml')).toMatch(/<font><b\/>/)
  })

  it('sharedStrings.add: returns the number of a text', () => {
    expect(sheet).toContain('<v>1</v>')
    expect(parts.get('xl/sharedStrings.xml')).toMatch(/<t[^>]*>first<\/t>.*<t[^>]*>second<\/t>/)
  })

  it('_writeColumns, _writeOpenSheetData, startedData: begin the rows only once', () => {
    expect(sheet).toMatch(
      /<cols><col min="1" max="1" width="33"[^>]*><\/cols>|<col min="1"[^>]*width="33"/,
    )
    expect(sheet.match(/<sheetData>/g)).toHaveLength(1)
    expect(sheet.indexOf('<cols>')).toBeLessThan(sheet.indexOf('<sheetData>'))
  })

  it('_writeAutoFilter: is called right after the rows, where we add our XML', () => {
    expect(sheet).toContain('</sheetData><sheetProtection sheet="1"/><mergeCells')
  })

  it('_merges: are written as given', () => {
    expect(sheet).toContain('<mergeCell ref="A1:B1"/>')
  })

  it('rowBreaks: are written with their count', () => {
    expect(sheet).toContain(
      '<rowBreaks count="1" manualBreakCount="1"><brk id="1" max="16383" man="1"/>',
    )
  })

  it('_writeHyperlinks, _writeDataValidations: write only our XML, after the formats', () => {
    expect(sheet).toMatch(/<\/conditionalFormatting><hyperlinks>.*<\/hyperlinks><pageMargins/)
    expect(sheet.match(/<hyperlinks>/g)).toHaveLength(1)
  })

  it('_writeCloseWorksheet, _sheetRelsWriter: end the sheet with our XML and relationships', () => {
    expect(sheet).toMatch(/<drawing r:id="rId1"\/><\/worksheet>$/)
    expect(parts.get('xl/worksheets/_rels/sheet1.xml.rels')).toMatch(
      /<Relationship Id="rId1" Type="kind\/of" Target="\.\.\/to\.xml"/,
    )
  })
})

it('_openStream: gives each sheet a stream of ours, which can be destroyed', async () => {
  const writer = open('stream.xlsx')
  const stream = adapter.sheetStream(writer.addWorksheet('One'))
  expect(stream).toBeInstanceOf(SheetStream)
  writer.stream.destroy()
  stream.destroy()
  expect(stream.destroyed).toBe(true)
})

it('stream, zip.on: an error of the file reaches the sheets without ending the process', async () => {
  const writer = new Writer(join(directory, 'no', 'folder', 'a.xlsx'), { title: '', asOfMs: AT })
  const stream = adapter.sheetStream(writer.addWorksheet('One'))
  await expect(finished(stream)).rejects.toMatchObject({ code: 'ENOENT' })
  const later = adapter.sheetStream(writer.addWorksheet('Two'))
  expect(later.destroyed).toBe(true)
})
