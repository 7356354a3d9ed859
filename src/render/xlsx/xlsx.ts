import { finished } from 'node:stream/promises'
import type { Block, ChartBlock, ReportDocument, Section } from '../../core/declare/report.ts'
import { writeInPlace } from '../file-in-place.ts'
import { writeCharts, writeFigures, writeNote, writeTable } from './xlsx-blocks.ts'
import { type Book, newBook } from './xlsx-book.ts'
import { CHART_DATA } from './xlsx-chart-data.ts'
import { measureColumns } from './xlsx-measure.ts'
import { PackageWriter } from './xlsx-package.ts'
import { Sheet, type SheetOptions } from './xlsx-sheet.ts'
import { uniqueName } from './xlsx-sheet-names.ts'
import { HEADING, LINK, SUBTITLE, TITLE } from './xlsx-styles.ts'
import { excelValue } from './xlsx-value.ts'

export const MAX_SHEET_ROWS = 1_048_576

/** Writes the document as a workbook, sheet by sheet; the same document makes the same bytes. */
export async function renderXlsx(
  document: ReportDocument,
  path: string,
  { maxRows = MAX_SHEET_ROWS } = {},
): Promise<void> {
  await writeInPlace(path, async (temporary) => {
    const writer = new PackageWriter(temporary, document)
    const done = finished(writer.stream)
    // What fails is heard where it is awaited.
    done.catch(() => undefined)
    try {
      await writeSheets(newBook(document, writer, maxRows))
      // A file that has failed already never ends, so that the writer would wait for ever.
      await Promise.race([writer.commit(), done])
      await done
    } catch (error) {
      writer.stream.destroy()
      throw error
    }
  })
}

async function writeSheets(book: Book): Promise<void> {
  for (const [index, section] of book.document.sections.entries()) {
    await writeSection(book, section, index)
  }
  if (book.chartData.count === 0) return
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

async function writeSection(book: Book, section: Section, index: number): Promise<void> {
  const widths = await measureColumns(section)
  const name = book.names[index] ?? section.title
  const tab = index === 0 ? 'cover' : section.detail ? 'detail' : 'plain'
  const title = index === 0 ? book.document.title : section.title
  const frozenRows = headerRow(section)
  const onePage = fitsOnePage(section, index)
  let sheet = openSheet(book, { name, title, widths, frozenRows, tab, onePage })
  const tables = section.blocks.filter(({ kind }) => kind === 'table')
  for (const [at, block] of section.blocks.entries()) {
    if (block.kind === 'note') {
      writeNote(sheet, block)
      if (section.blocks[at + 1]?.kind !== 'note') sheet.skip()
    } else if (block.kind === 'figures') writeFigures(sheet, block)
    else if (block.kind === 'table') {
      sheet = await writeTable(block, {
        sheet,
        body: book.body,
        maxRows: book.maxRows,
        alone: tables.length === 1,
        titled: block.title === section.title,
        async nextSheet() {
          await commit(book, sheet)
          const next = uniqueName(section.title, book.names)
          book.names.push(next)
          sheet = openSheet(book, { name: next, title, widths, frozenRows: PLAIN_HEADER_ROW, tab })
          return sheet
        },
      })
    } else if (section.blocks[at - 1]?.kind !== 'chart') {
      writeCharts(book, sheet, chartRun(section, at))
    }
  }
  if (index === 0) writeContents(book, sheet)
  await commit(book, sheet)
}

interface SheetHead extends Omit<SheetOptions, 'footer'> {
  title: string
}

function openSheet(book: Book, { title, ...options }: SheetHead): Sheet {
  const footer = `${book.document.title} · ${book.document.subtitle}`
  const sheet = new Sheet(book.writer, { ...options, footer: footer.slice(0, 200) })
  sheet.write([{ value: excelValue(title, 'text'), style: TITLE }], 28)
  const under = options.tab === 'cover' ? book.document.subtitle : footer
  sheet.write([{ value: excelValue(under, 'text'), style: SUBTITLE }])
  sheet.skip()
  return sheet
}

async function commit(book: Book, sheet: Sheet): Promise<void> {
  if (await sheet.commit(book.drawings + 1)) book.drawings++
}

/** Where the cover's reader goes on. */
function writeContents(book: Book, sheet: Sheet): void {
  sheet.write([{ value: 'Contents', style: HEADING }], 20)
  for (const name of book.names.slice(1, book.document.sections.length)) {
    sheet.extras.links.push({
      cell: `A${sheet.next}`,
      location: `'${name.replaceAll("'", "''")}'!A1`,
    })
    sheet.write([{ value: excelValue(name, 'text'), style: LINK }])
  }
}

/**
 * The row of the header that is frozen: only where one table stands right under the title and its
 * notes.
 */
function headerRow(section: Section): number {
  const others = section.blocks.filter(({ kind }) => kind !== 'note')
  const table = others[0]
  if (table?.kind !== 'table' || others.some(({ kind }, at) => at > 0 && kind === 'table')) return 0
  const notes = section.blocks.indexOf(table)
  const heading = table.title === section.title ? 0 : 1
  return PLAIN_HEADER_ROW + (notes === 0 ? 0 : notes + 1) + heading
}

/** Charts are, and so is a cover, unless that would make their tables too small to read. */
function fitsOnePage({ blocks }: Section, index: number): boolean {
  const wanted = index === 0 || blocks.some(({ kind }) => kind === 'chart')
  return wanted && blocks.map(rowsOf).reduce((a, b) => a + b, 0) < MOST_ON_A_PAGE
}

function rowsOf(block: Block): number {
  if (block.kind === 'figures') return block.figures.length
  if (block.kind !== 'table') return 0
  return 'stream' in block.rows ? Infinity : block.rows.length
}

function chartRun(section: Section, from: number): ChartBlock[] {
  const run: ChartBlock[] = []
  for (const block of section.blocks.slice(from)) {
    if (block.kind !== 'chart') break
    run.push(block)
  }
  return run
}

const MOST_ON_A_PAGE = 60
/** Title, subtitle, an empty row, header. */
const PLAIN_HEADER_ROW = 4
