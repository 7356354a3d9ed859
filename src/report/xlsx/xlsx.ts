import { finished } from 'node:stream/promises'
import type { Block, ChartBlock, ReportDocument, Table } from '../../core/define/report.ts'
import { inWords } from '../files/in-words.ts'
import { writeCharts, writeFigures, writeNote, writeTableBlock } from './xlsx-blocks.ts'
import { type Book, newBook } from './xlsx-book.ts'
import { CHART_DATA } from './xlsx-chart-data.ts'
import { LISTS } from './xlsx-lists.ts'
import { measureColumns } from './xlsx-measure.ts'
import { withOriginOnSheet } from './xlsx-origin.ts'
import { PackageWriter } from './xlsx-package.ts'
import { type PlannedSheet, planSheets, type WorkbookPlan } from './xlsx-plan.ts'
import { Sheet, type SheetOptions } from './xlsx-sheet.ts'
import { uniqueName } from './xlsx-sheet-names.ts'
import { HEADING, LINK, QUIET, SUBTITLE, TITLE } from './xlsx-styles.ts'
import { excelValue } from './xlsx-value.ts'

export const MAX_SHEET_ROWS = 1_048_576

/** Writes the document as a workbook, sheet by sheet; equal documents give equal bytes. */
export async function renderXlsx(
  document: ReportDocument,
  path: string,
  { maxRows = MAX_SHEET_ROWS } = {},
): Promise<void> {
  const shown = withOriginOnSheet(inWords(document))
  const plan = await planSheets(shown)
  const writer = new PackageWriter(path, shown)
  const done = finished(writer.stream)
  // The error is handled where `done` is awaited.
  done.catch(() => undefined)
  try {
    await writeSheets(newBook(plan, { document: shown, writer, maxRows }))
    // If writing the file fails, `commit` never settles, so `done` is awaited with it.
    await Promise.race([writer.commit(), done])
    await done
  } catch (error) {
    writer.stream.destroy()
    throw error
  }
}

async function writeSheets(book: Book): Promise<void> {
  const { sheets, chartsBefore } = book.plan
  for (const planned of sheets) {
    if (planned === chartsBefore) await writeDataSheets(book)
    await writeSheet(book, planned)
  }
  if (chartsBefore === undefined) await writeDataSheets(book)
}

async function writeDataSheets(book: Book): Promise<void> {
  if (book.plan.charts) await writeChartData(book)
  if (book.lists.any) await writeLists(book)
}

async function writeLists(book: Book): Promise<void> {
  const sheet = openSheet(book, {
    name: LISTS,
    title: LISTS,
    widths: book.lists.widths(),
    frozenRows: 0,
    tab: 'detail',
    hidden: true,
  })
  await book.lists.write(sheet)
  await commit(book, sheet)
}

async function writeChartData(book: Book): Promise<void> {
  const sheet = openSheet(book, {
    name: CHART_DATA,
    title: CHART_DATA,
    widths: book.chartData.widths(),
    frozenRows: 0,
    tab: 'detail',
  })
  await book.chartData.write(sheet)
  await commit(book, sheet)
}

async function writeSheet(book: Book, planned: PlannedSheet): Promise<void> {
  const { name, tab, blocks } = planned
  const widths = await measureColumns(blocks)
  const title = tab === 'cover' ? book.document.title : planned.title
  const frozenRows = headerRow(planned)
  let sheet = openSheet(book, { name, title, widths, frozenRows, tab })
  for (const [at, block] of blocks.entries()) {
    if (beginsBlock(blocks, at)) sheet.begin()
    if (block.kind === 'note') {
      const linked = book.plan.sheets.find(({ section }) => section === block.link)
      writeNote(sheet, block, linked && placeOn(linked.name))
      if (blocks[at + 1]?.kind !== 'note') sheet.skip()
    } else if (block.kind === 'figures') writeFigures(sheet, block)
    else if (block.kind === 'table') {
      sheet = await writeTableBlock(block, {
        sheet,
        lists: book.lists,
        maxRows: book.maxRows,
        section: planned.section,
        titled: isTitled(block, planned),
        async nextSheet() {
          await commit(book, sheet)
          const next = uniqueName(planned.title, book.names)
          book.names.push(next)
          sheet = openSheet(book, { name: next, title, widths, frozenRows: PLAIN_HEADER_ROW, tab })
          return sheet
        },
      })
    } else if (blocks[at - 1]?.kind !== 'chart') {
      writeCharts(book, sheet, chartRun(blocks, at))
    }
  }
  if (tab === 'cover') writeContents(book, sheet)
  await commit(book, sheet)
}

interface SheetHead extends Omit<SheetOptions, 'footer'> {
  title: string
}

function openSheet(book: Book, { title, ...options }: SheetHead): Sheet {
  const footer = `${book.document.title} · ${book.document.subtitle}`
  const sheet = new Sheet(book.writer, { ...options, footer })
  sheet.write([{ value: excelValue(title, 'text'), style: TITLE }], 28)
  const under = options.tab === 'cover' ? book.document.subtitle : footer
  sheet.write([{ value: excelValue(under, 'text'), style: SUBTITLE }])
  writeTopLink(book, sheet)
  return sheet
}

async function commit(book: Book, sheet: Sheet): Promise<void> {
  if (await sheet.commit(book.drawings + 1)) book.drawings++
}

/** Returns the header's row if the sheet's only table directly follows the title and its notes; else 0. */
function headerRow(planned: PlannedSheet): number {
  const others = planned.blocks.filter(({ kind }) => kind !== 'note')
  const table = others[0]
  if (table?.kind !== 'table' || others.some(({ kind }, at) => at > 0 && kind === 'table')) return 0
  const notes = planned.blocks.indexOf(table)
  const heading = isTitled(table, planned) ? 0 : 1
  return PLAIN_HEADER_ROW + (notes === 0 ? 0 : notes + 1) + heading
}

/** Whether the sheet's title is also the table's, so that it is not repeated. */
function isTitled(table: Table, { title, section }: PlannedSheet): boolean {
  return table.title === section || title !== section
}

/** Whether a printed page can begin with the block; notes belong to what follows them. */
function beginsBlock(blocks: readonly Block[], at: number): boolean {
  const before = blocks[at - 1]?.kind
  return before !== 'note' && !(before === 'chart' && blocks[at]?.kind === 'chart')
}

function chartRun(blocks: readonly Block[], from: number): ChartBlock[] {
  const run: ChartBlock[] = []
  for (const block of blocks.slice(from)) {
    if (block.kind !== 'chart') break
    run.push(block)
  }
  return run
}

/** Writes the link under a sheet's title: to the first sheet, or on that sheet to its contents. */
function writeTopLink({ plan }: Book, sheet: Sheet): void {
  const [first, ...others] = placesInOrder(plan)
  if (first === undefined || others.length === 0) sheet.skip()
  else if (sheet.name === first.name) writeLinkText(sheet, { title: 'Contents ↓' })
  else writeLink(sheet, { title: `← ${first.title}` }, placeOn(first.name))
}

/** Lists the sheets on the first one with full titles, because sheet names have only 31 characters. */
function writeContents({ plan }: Book, sheet: Sheet): void {
  const [, ...others] = placesInOrder(plan)
  if (others.length === 0) return
  const location = placeOn(sheet.name, sheet.next)
  sheet.extras.links.push({ cell: `A${TOP_ROW}`, location })
  sheet.begin()
  sheet.write([{ value: 'Contents', style: HEADING }], 20)
  for (const { title, name, about } of others) writeLink(sheet, { title, about }, placeOn(name))
}

function writeLink(sheet: Sheet, text: Omit<Place, 'name'>, location: string): void {
  sheet.extras.links.push({ cell: `A${sheet.next}`, location })
  writeLinkText(sheet, text)
}

function writeLinkText(sheet: Sheet, { title, about }: Omit<Place, 'name'>): void {
  const height = sheet.next === TOP_ROW ? 22 : undefined
  const link = { value: excelValue(title, 'text'), style: LINK }
  const beside = about === undefined ? [] : [{ value: excelValue(about, 'text'), style: QUIET }]
  sheet.write([link, ...beside], height)
}

/** Returns a reference to a sheet's row for links: `'Quality by day'!A1`. */
function placeOn(name: string, row = 1): string {
  return `'${name.replaceAll("'", "''")}'!A${row}`
}

/** A sheet as the table of contents lists it. */
type Place = Pick<PlannedSheet, 'name' | 'title' | 'about'>

/** Returns the sheets in order, with the chart data but without continued sheets. */
function placesInOrder({ sheets, charts, chartsBefore }: WorkbookPlan): Place[] {
  const places = sheets.flatMap((sheet) =>
    charts && sheet === chartsBefore ? [CHARTS, sheet] : [sheet],
  )
  return charts && chartsBefore === undefined ? [...places, CHARTS] : places
}

/** The header's row on a sheet without notes: title, subtitle and links come first. */
const PLAIN_HEADER_ROW = 4

const CHARTS = { name: CHART_DATA, title: CHART_DATA, about: 'the figures behind the charts' }
const TOP_ROW = 3
