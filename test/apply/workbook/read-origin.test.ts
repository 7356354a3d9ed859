import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ExcelJS from 'exceljs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOrigin } from '../../../src/apply/workbook/read-origin.ts'
import type { ReportDocument } from '../../../src/core/define/report.ts'
import { ConfigurationError } from '../../../src/core/errors.ts'
import { renderXlsx } from '../../../src/report/xlsx/xlsx.ts'
import { readMembers, writeMembers } from '../../helpers/rewrite-zip.ts'
import { exampleDocument } from '../../report/page/document.ts'

const document: ReportDocument = {
  ...exampleDocument(),
  account: '=acme <& co>',
  asOfMs: Date.UTC(2026, 10, 20, 2, 3, 4, 567),
  timeZone: 'Europe/Berlin',
  sinceMs: Date.UTC(2026, 9, 1),
  settings: { prices: { NL: { Toll: 1.5 } }, currency: 'EUR' },
  sections: [
    ...exampleDocument().sections,
    {
      title: 'Provenance',
      provenance: true,
      blocks: [
        {
          kind: 'figures',
          title: 'About this report',
          figures: [{ label: 'Account', value: 'acme', format: 'text' }],
        },
      ],
    },
  ],
}
const { report, account, asOfMs, timeZone, sinceMs, settings } = document
const ORIGIN = { report, account, asOfMs, timeZone, sinceMs, settings }
const PROPERTIES = 'docProps/custom.xml'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-origin-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function workbook(
  name: string,
  { properties = (xml) => xml, sheet }: Changes = {},
): Promise<string> {
  const path = join(directory, `${name}.xlsx`)
  await renderXlsx(document, path)
  const members = await readMembers(path)
  const xml = properties(members.get(PROPERTIES)?.toString() ?? '')
  if (sheet !== undefined) {
    // This library drops the properties when it saves.
    const book = await new ExcelJS.Workbook().xlsx.readFile(path)
    const provenance = book.getWorksheet('Provenance')
    if (provenance === undefined) throw new Error('There is no sheet Provenance')
    sheet(provenance, book)
    await book.xlsx.writeFile(path)
    if (xml === '') return path
    const saved = await readMembers(path)
    for (const part of [PROPERTIES, '_rels/.rels', '[Content_Types].xml'])
      saved.set(part, members.get(part) ?? Buffer.of())
    saved.set(PROPERTIES, Buffer.from(xml))
    await writeMembers(path, saved)
    return path
  }
  members.set(PROPERTIES, Buffer.from(xml))
  if (xml === '') members.delete(PROPERTIES)
  await writeMembers(path, members)
  return path
}

interface Changes {
  /** Changes the part with the properties; '' removes it. */
  properties?: (xml: string) => string
  sheet?: (sheet: ExcelJS.Worksheet, book: ExcelJS.Workbook) => void
}

const without = (): string => ''
const lineOf = (sheet: ExcelJS.Worksheet, name: string): ExcelJS.Row => {
  let found: ExcelJS.Row | undefined
  sheet.eachRow((row) => {
    if (row.getCell(1).text === name) found = row
  })
  if (found === undefined) throw new Error(`There is no line ${name}`)
  return found
}

describe('the origin on the sheet Provenance', () => {
  it('is the same as in the properties', async () => {
    expect(await readOrigin(await workbook('both'))).toEqual(ORIGIN)
  })

  it('is enough if a program dropped the properties', async () => {
    expect(await readOrigin(await workbook('dropped', { properties: without }))).toEqual(ORIGIN)
    const saved = await workbook('saved', { properties: without, sheet: () => undefined })
    expect((await readMembers(saved)).has(PROPERTIES)).toBe(false)
    expect(await readOrigin(saved)).toEqual(ORIGIN)
  })

  it('is not needed if the properties exist', async () => {
    const sheet = (_sheet: ExcelJS.Worksheet, book: ExcelJS.Workbook) =>
      book.removeWorksheet(book.getWorksheet('Provenance')?.id ?? 0)
    expect(await readOrigin(await workbook('no-sheet', { sheet }))).toEqual(ORIGIN)
  })

  it.each(['Callsheet report', 'Callsheet account', 'Callsheet as of'])(
    'is missing without %s',
    async (name) => {
      const sheet = (lines: ExcelJS.Worksheet) => void (lineOf(lines, name).getCell(2).value = null)
      const path = await workbook('lost', { properties: without, sheet })
      expect(await readOrigin(path)).toBeUndefined()
    },
  )

  it('is missing if its time is unreadable', async () => {
    const sheet = (lines: ExcelJS.Worksheet) =>
      void (lineOf(lines, 'Callsheet as of').getCell(2).value = 'last Tuesday')
    const path = await workbook('time', { properties: without, sheet })
    expect(await readOrigin(path)).toBeUndefined()
  })
})

describe('two origins that disagree', () => {
  const refusal = async (changes: Changes): Promise<unknown> =>
    await readOrigin(await workbook('two', changes)).catch((thrown: unknown) => thrown)

  it.each([
    ['Callsheet account', { properties: (xml: string) => xml.replace('=acme', 'other') }],
    ['Callsheet as of', { properties: (xml: string) => xml.replace('02:03:04', '02:03:05') }],
    ['Callsheet settings', { properties: (xml: string) => xml.replace('1.5', '2.5') }],
    ['Callsheet since', { properties: (xml: string) => xml.replace('Callsheet since', 'Since') }],
    // Incomplete properties count too, beside a complete sheet.
    [
      'Callsheet account',
      {
        properties: (xml: string) =>
          xml.replace('=acme', 'other').replace('Callsheet report', 'Report'),
      },
    ],
  ])('are refused, and the error names %s', async (name, changes) => {
    const error = await refusal(changes)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as ConfigurationError).code).toBe('workbook_origin')
    expect((error as ConfigurationError).message).toContain(`the values differ in ${name}`)
    expect((error as ConfigurationError).message).not.toContain('other')
  })

  it('are ignored if neither is complete', async () => {
    const sheet = (lines: ExcelJS.Worksheet) => {
      lineOf(lines, 'Callsheet report').getCell(2).value = null
      lineOf(lines, 'Callsheet account').getCell(2).value = 'another'
    }
    const properties = (xml: string) => xml.replace('Callsheet report', 'Report')
    expect(await readOrigin(await workbook('neither', { properties, sheet }))).toBeUndefined()
  })
})
