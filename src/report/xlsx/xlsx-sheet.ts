import type ExcelJS from 'exceljs'
import { type Anchor, drawingRelationships, drawingXml } from './drawing-xml.ts'
import { breakAfter, endWith, mergeCells } from './exceljs-adapter.ts'
import { footerOf, layOut, leftOut, PX_PER_CHARACTER, readableColumns } from './print-layout.ts'
import { noExtras, type SheetExtras, sheetEnd } from './sheet-extras.ts'
import type { SheetTable } from './table-xml.ts'
import { displayWidth } from './text-width.ts'
import { ROW_POINTS } from './xlsx-heights.ts'
import type { PackageWriter } from './xlsx-package.ts'
import { type CellToWrite, columnLetters, RowWriter } from './xlsx-rows.ts'

export interface SheetOptions {
  name: string
  widths: readonly number[]
  /** The number of rows that stay visible; 0 for none. */
  frozenRows: number
  footer: string
  tab: 'cover' | 'plain' | 'detail'
  hidden?: boolean
}

const TABS = { cover: 'FF1F3A5F', plain: 'FF2F6FB3', detail: 'FF9AA5B1' }

/** One worksheet, written from top to bottom. */
export class Sheet {
  readonly name: string
  readonly widths: readonly number[]
  readonly worksheet: ExcelJS.Worksheet
  readonly extras: SheetExtras = noExtras()
  readonly anchors: Anchor[] = []
  /** The number of the next row. */
  next = 1
  private readonly writer: PackageWriter
  private readonly tab: SheetOptions['tab']
  private readonly footer: string
  private readonly rows: RowWriter
  /** How many columns have content. */
  private columns = 1
  /** The last row with content. */
  private last = 1
  /** The heights of the first rows, those that can be printed, and the rows at which a block begins. */
  private readonly heights: number[] = []
  private readonly starts: number[] = []
  /** The titles of the widest table, and the row of the header that printed pages repeat. */
  private titles: readonly string[] = []
  private repeated: number | undefined

  constructor(writer: PackageWriter, options: SheetOptions) {
    this.writer = writer
    this.name = options.name
    this.tab = options.tab
    this.footer = options.footer
    this.widths = padded(options.widths)
    this.worksheet = writer.addWorksheet(options.name, {
      state: options.hidden === true ? 'hidden' : 'visible',
      properties: { tabColor: { argb: TABS[options.tab] } },
      views: [view(options)],
      pageSetup: {
        paperSize: 9,
        fitToWidth: 1,
        fitToHeight: 0,
        margins: { left: 0.4, right: 0.4, top: 0.5, bottom: 0.6, header: 0.3, footer: 0.3 },
      },
    })
    this.worksheet.columns = this.widths.map((width) => ({ width }))
    this.rows = new RowWriter(writer, this.worksheet)
    endWith(this.worksheet, sheetEnd(this.extras))
  }

  /** Writes a row; returns a promise if the zip must catch up before the next row. */
  put(cells: readonly CellToWrite[], height?: number): Promise<void> | undefined {
    this.write(cells, height)
    return this.rows.catchUp()
  }

  /** Writes one text across `columns` columns, and other cells beside it. */
  merged(
    cell: CellToWrite,
    columns: number,
    { height, beside }: { height: number; beside: readonly CellToWrite[] },
  ): void {
    const row = this.next
    const styled = Array.from({ length: columns }, (_, index) =>
      index === 0 ? cell : { value: null, style: cell.style },
    )
    if (columns > 1) mergeCells(this.worksheet, `A${row}:${columnLetters(columns)}${row}`)
    this.write([...styled, ...beside], height)
    const text = String(beside.at(-1)?.value ?? '')
    this.columns = Math.max(this.columns, this.columnUnder(text, columns + beside.length))
  }

  /** The last column that a text covers if it begins in column `from` and overflows its cell. */
  private columnUnder(text: string, from: number): number {
    let room = 0
    let column = from - 1
    while (room < displayWidth(text) && column < this.widths.length)
      room += this.widths[column++] ?? 0
    return column
  }

  write(cells: readonly CellToWrite[], height?: number): void {
    this.columns = Math.max(this.columns, cells.length)
    this.last = this.next
    if (this.next <= MOST_PRINTED_ROWS) this.heights[this.next - 1] = height ?? ROW_POINTS
    this.rows.write(this.next++, cells, height)
  }

  /** Marks the next row as the first of a block, which is printed on one page if it fits. */
  begin(): void {
    if (this.next <= MOST_PRINTED_ROWS) this.starts.push(this.next)
  }

  /**
   * Makes the row just written a table's header. Later printed pages repeat the header of the sheet's last
   * table, except on the cover.
   */
  headed(titles: readonly string[]): void {
    if (titles.length > this.titles.length) this.titles = titles
    if (this.tab !== 'cover') this.repeated = this.next - 1
  }

  /** Makes a table from the header and the rows written since. */
  addTable(table: SheetTable): void {
    this.extras.tables.push(this.writer.addTable(table))
  }

  skip(rows = 1): void {
    this.next += rows
  }

  /** Returns the column at this many pixels from the left, and the offset inside it. */
  columnAt(px: number): { column: number; columnOffsetPx: number } {
    let left = px
    for (let column = 0; ; column++) {
      const width = Math.round((this.widths[column] ?? DEFAULT_WIDTH) * PX_PER_CHARACTER)
      if (left < width) return { column, columnOffsetPx: left }
      left -= width
    }
  }

  /**
   * Limits printing to one page across: to the columns that are readable at that size, and on a long sheet
   * to the first rows. If anything is left out, the footer says what, and names the option that prints all.
   */
  private limitPrint(): void {
    const charts = this.anchors.map(({ to }) => to.column + 1)
    const drawn = this.anchors.map(({ to }) => to.row)
    const columns = Math.max(this.columns, ...charts)
    const rows = Math.max(this.last, ...drawn)
    const printed = {
      columns: Math.max(Math.min(columns, readableColumns(this.widths)), ...charts),
      rows: rows > MOST_PRINTED_ROWS ? PRINTED_ROWS : rows,
    }
    const { pageSetup, headerFooter } = this.worksheet
    pageSetup.printArea = `A$1:${columnLetters(printed.columns)}$${printed.rows}`
    if (this.repeated !== undefined) pageSetup.printTitlesRow = `${this.repeated}:${this.repeated}`
    const { orientation, fitToHeight, breaks } = layOut({
      widths: this.widths.slice(0, printed.columns),
      heights: Array.from({ length: printed.rows }, (_none, at) => this.heights[at] ?? ROW_POINTS),
      starts: this.starts.filter((start) => start <= printed.rows),
      repeated: this.repeated,
      mixed: this.tab === 'cover' || drawn.length > 0,
    })
    Object.assign(pageSetup, { orientation, fitToHeight })
    for (const row of breaks) breakAfter(this.worksheet, row)
    headerFooter.oddFooter = footerOf(this.footer, [
      ...(printed.rows < rows ? [`First ${printed.rows} rows.`] : []),
      ...leftOut(this.titles.slice(printed.columns)),
    ])
  }

  async commit(drawing: number): Promise<boolean> {
    this.rows.flush()
    await this.rows.catchUp()
    const drawn = this.anchors.length > 0
    if (drawn) {
      this.extras.drawing = drawing
      this.writer.addPart({
        name: `xl/drawings/drawing${drawing}.xml`,
        xml: drawingXml(this.anchors),
        contentType: 'application/vnd.openxmlformats-officedocument.drawing+xml',
      })
      this.writer.addPart({
        name: `xl/drawings/_rels/drawing${drawing}.xml.rels`,
        xml: drawingRelationships(this.anchors),
      })
    }
    this.limitPrint()
    this.worksheet.commit()
    return drawn
  }
}

/** Adds columns: notes and charts beside tables need columns whose width all programs agree on. */
function padded(widths: readonly number[]): number[] {
  return [...widths, ...Array.from({ length: Math.max(0, 14 - widths.length) }, () => 10)]
}

/** Freezes the header, and the column that identifies a row unless it fills the screen. */
function view({ frozenRows, widths }: SheetOptions): Partial<ExcelJS.WorksheetView> {
  const frozenColumns = (widths[0] ?? 0) <= WIDEST_FROZEN && widths.length > 1 ? 1 : 0
  const common = { showGridLines: false, zoomScale: 100 }
  return frozenRows === 0
    ? { state: 'normal', ...common }
    : { state: 'frozen', xSplit: frozenColumns, ySplit: frozenRows, activeCell: 'A1', ...common }
}

/** Sheets of at most this many rows, about ten pages, are printed completely. */
const MOST_PRINTED_ROWS = 400
/** The number of rows printed of a longer sheet, about two pages. */
const PRINTED_ROWS = 80
const WIDEST_FROZEN = 46
const DEFAULT_WIDTH = 10
