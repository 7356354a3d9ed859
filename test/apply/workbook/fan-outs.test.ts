import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOrigin } from '../../../src/apply/workbook/read-origin.ts'
import { ConfigurationError } from '../../../src/core/errors.ts'
import { writeMembers } from '../../helpers/rewrite-zip.ts'
import { linesOf, wanted } from '../../report/xlsx/books.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-fan-outs-'))
})
afterAll(() => rm(directory, { recursive: true }))

const KINDS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const times = (count: number, one: (at: number) => string): string =>
  Array.from({ length: count }, (_none, at) => one(at)).join('')
const relationships = (list: string): string => `<Relationships>${list}</Relationships>`
const related = (id: string, kind: string, target: string): string =>
  `<Relationship Id="${id}" Type="${KINDS}/${kind}" Target="${target}"/>`
const sheetOf = (rows: string): string => `<worksheet><sheetData>${rows}</sheetData></worksheet>`
const cell = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`
const HEADER = `<row>${cell('Number')}</row>`

/** A small workbook with the sheet "Table"; `parts` add to its parts or replace them. */
async function book(name: string, parts: Readonly<Record<string, string>>): Promise<string> {
  const path = join(directory, `${name}.xlsx`)
  const own: Record<string, string> = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relationships(related('r1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': '<workbook><sheets><sheet name="Table" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relationships(
      related('r1', 'worksheet', 'sheet.xml') + related('t', 'sharedStrings', 'texts.xml'),
    ),
    'xl/sheet.xml': sheetOf(HEADER + times(50, (at) => `<row>${cell(`+${at}`)}</row>`)),
    'xl/texts.xml': '<sst/>',
    ...parts,
  }
  await writeMembers(
    path,
    Object.entries(own).map(([part, xml]) => [part, Buffer.from(xml)] as const),
  )
  return path
}

async function refusal(path: string): Promise<string> {
  expect((await stat(path)).size).toBeLessThan(2_000_000)
  const began = process.cpuUsage()
  const error: unknown = await linesOf(path, wanted('Table', 'Number')).then(
    () => new Error('was read'),
    (thrown: unknown) => thrown,
  )
  const { user, system } = process.cpuUsage(began)
  expect((user + system) / 1e6).toBeLessThan(10)
  expect(error).toBeInstanceOf(ConfigurationError)
  const { message } = error as Error
  expect(message).toContain(`Reading the workbook ${path}`)
  return message
}

/** A workbook part that lists sheets; each refers to a part by the ID of a relationship. */
function tabs(count: number, id: (at: number) => string): string {
  const nameOf = (at: number): string => (at === 0 ? 'Table' : `Table (${at + 1})`)
  const list = times(count, (at) => `<sheet name="${nameOf(at)}" r:id="${id(at)}"/>`)
  return `<workbook><sheets>${list}</sheets></workbook>`
}

describe('a small workbook that would cost minutes is refused with its reason:', () => {
  it('60,000 sheets that refer to one part', async () => {
    const path = await book('sheets', { 'xl/workbook.xml': tabs(60_000, () => 'r1') })
    expect(await refusal(path)).toMatch(/more than 1000 sheets/)
  })

  it('60,000 sheets that refer to one part, each with a different ID', async () => {
    const path = await book('ids', {
      'xl/workbook.xml': tabs(60_000, (at) => `r${at}`),
      'xl/_rels/workbook.xml.rels': relationships(
        times(60_000, (at) => related(`r${at}`, 'worksheet', 'sheet.xml')),
      ),
    })
    expect(await refusal(path)).toMatch(/more than 10000 (?:relationships|links)/)
  })

  it('900 sheets that refer to one large part', async () => {
    const path = await book('large', {
      'xl/workbook.xml': tabs(900, () => 'r1'),
      'xl/sheet.xml': sheetOf(HEADER + times(100_000, () => '<row><c><v>1</v></c></row>')),
    })
    expect(await refusal(path)).toContain('several sheets share the part xl/sheet.xml')
  })

  it('9,000 tables of a sheet in one part', async () => {
    const path = await book('tables', {
      'xl/_rels/sheet.xml.rels': relationships(
        times(9_000, (at) => related(`t${at}`, 'table', 'table.xml')),
      ),
      'xl/table.xml': `<table ref="A1:A3" totalsRowCount="0">${'<a/>'.repeat(500_000)}</table>`,
    })
    const error: unknown = await linesOf(path, wanted('Table', 'Number')).catch((thrown) => thrown)
    expect(String(error)).toMatch(/several sheets share the part xl\/table\.xml/)
  })

  it('a relationship repeated 20,000 times', async () => {
    const path = await book('related', {
      'xl/_rels/workbook.xml.rels': relationships(
        times(20_000, () => related('r1', 'worksheet', 'sheet.xml')),
      ),
    })
    expect(await refusal(path)).toMatch(/more than 10000 (?:relationships|links)/)
  })

  it('a text that is longer than a cell, in many cells', async () => {
    const path = await book('text', {
      'xl/texts.xml': `<sst><si>${times(30, () => `<t>${'x'.repeat(10_000)}</t>`)}</si></sst>`,
      'xl/sheet.xml': sheetOf(HEADER + times(100, () => '<row><c t="s"><v>0</v></c></row>')),
    })
    expect(await refusal(path)).toMatch(/a text of more than the 32767 characters of a cell/)
  })

  it('a text of the maximum length, in 180,000 cells', async () => {
    const path = await book('texts', {
      'xl/texts.xml': `<sst><si><t>${'x'.repeat(32_767)}</t></si></sst>`,
      'xl/sheet.xml': sheetOf(
        HEADER + times(3_000, () => `<row>${'<c t="s"><v>0</v></c>'.repeat(60)}</row>`),
      ),
    })
    expect(await refusal(path)).toMatch(/one long text in more cells than can be read/)
  })

  it('8,001 zip entries with one body', async () => {
    const path = await lying('bodies')
    expect(await refusal(path)).toMatch(/lie over one another|parts that unpack to/)
  })
})

it('a table that continues over 1,000 sheets is read', async () => {
  const count = 1_000
  const path = await book('many', {
    'xl/workbook.xml': tabs(count, (at) => `r${at + 1}`),
    'xl/_rels/workbook.xml.rels': relationships(
      times(count, (at) => related(`r${at + 1}`, 'worksheet', `sheet${at + 1}.xml`)),
    ),
    ...Object.fromEntries(
      Array.from({ length: count }, (_none, at) => [
        `xl/sheet${at + 1}.xml`,
        sheetOf(`${HEADER}<row>${cell(`+${at}`)}</row>`),
      ]),
    ),
  })
  const lines = await linesOf(path, wanted('Table', 'Number'))
  expect(lines.map(({ cells }) => cells.Number)).toEqual(
    Array.from({ length: count }, (_none, at) => `+${at}`),
  )
  expect(await readOrigin(path)).toBeUndefined()
})

/** A workbook whose directory has 8,001 entries with the body of the largest part. */
async function lying(name: string): Promise<string> {
  const path = await book(name, {
    'xl/pad.xml': `<a>${'<b/>'.repeat(1_000_000)}</a>`,
  })
  const bytes = await readFile(path)
  const end = bytes.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  const from = bytes.readUInt32LE(end + 16)
  const directoryOf = bytes.subarray(from, end)
  const named = directoryOf.indexOf('xl/pad.xml')
  const start = directoryOf.lastIndexOf(Buffer.from('PK\u0001\u0002', 'latin1'), named)
  const next = directoryOf.indexOf(Buffer.from('PK\u0001\u0002', 'latin1'), start + 4)
  const entry = directoryOf.subarray(start, next < 0 ? directoryOf.length : next)
  const more = Array.from({ length: 8_000 }, (_none, at) => {
    const copy = Buffer.from(entry)
    copy.write(`xl/${String(at).padStart(4, '0')}xml`, copy.indexOf('xl/pad.xml'), 'latin1')
    return copy
  })
  const all = Buffer.concat([directoryOf, ...more])
  const tail = Buffer.from(bytes.subarray(end))
  const entries = tail.readUInt16LE(8) + more.length
  tail.writeUInt16LE(entries, 8)
  tail.writeUInt16LE(entries, 10)
  tail.writeUInt32LE(all.length, 12)
  await writeFile(path, Buffer.concat([bytes.subarray(0, from), all, tail]))
  return path
}
