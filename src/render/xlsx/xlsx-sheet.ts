import type ExcelJS from 'exceljs'
import { type Anchor, drawingRelationships, drawingXml } from './drawing-xml.ts'
import { mergeCells, orderSheet, type PackageWriter, type SheetExtras } from './xlsx-package.ts'
import { type CellToWrite, columnLetters, RowWriter } from './xlsx-rows.ts'

export interface SheetOptions {
  name: string
  widths: readonly number[]
  /** Rows that stay in sight; 0 for none. */
  frozenRows: number
  footer: string
  tab: 'cover' | 'plain' | 'detail'
  onePage?: boolean
}

const TABS = { cover: 'FF1F3A5F', plain: 'FF2F6FB3', detail: 'FF9AA5B1' }

/** One worksheet, written from top to bottom. */
export class Sheet {
  readonly name: string
  readonly widths: readonly number[]
  readonly worksheet: ExcelJS.Worksheet
  readonly extras: SheetExtras = { links: [], textRange: undefined, drawing: undefined }
  readonly anchors: Anchor[] = []
  /** The number of the row that comes next. */
  next = 1
  private readonly writer: PackageWriter
  private readonly tab: SheetOptions['tab']
  private readonly rows: RowWriter

  constructor(writer: PackageWriter, options: SheetOptions) {
    this.writer = writer
    this.name = options.name
    this.tab = options.tab
    this.widths = padded(options.widths)
    this.worksheet = writer.addWorksheet(options.name, {
      properties: { tabColor: { argb: TABS[options.tab] } },
      views: [view(options.frozenRows)],
      pageSetup: {
        paperSize: 9,
        // A chart is not to be torn in two, so a sheet of charts goes on one upright page.
        orientation: options.onePage && options.tab !== 'cover' ? 'portrait' : 'landscape',
        fitToWidth: 1,
        fitToHeight: options.onePage ? 1 : 0,
        margins: { left: 0.4, right: 0.4, top: 0.5, bottom: 0.6, header: 0.3, footer: 0.3 },
      },
      headerFooter: { oddFooter: `&L&8${options.footer.replaceAll('&', '&&')}&R&8&P / &N` },
    })
    this.worksheet.columns = this.widths.map((width) => ({ width }))
    this.rows = new RowWriter(writer, this.worksheet)
    orderSheet(this.worksheet, this.extras)
  }

  /** Writes the row; answers a promise when the zip has to catch up before the next. */
  put(cells: readonly CellToWrite[], height?: number): Promise<void> | undefined {
    this.write(cells, height)
    return this.rows.catchUp()
  }

  /** The same for a row whose cells are XML already. */
  putXml(cells: string, height?: number): Promise<void> | undefined {
    this.rows.writeXml(this.next++, cells, height)
    return this.rows.catchUp()
  }

  /** One text over the width of `columns` columns. */
  merged(cell: CellToWrite, columns: number, height?: number): void {
    const row = this.next
    const styled = Array.from({ length: columns }, (_, index) =>
      index === 0 ? cell : { value: null, style: cell.style },
    )
    if (columns > 1) mergeCells(this.worksheet, `A${row}:${columnLetters(columns)}${row}`)
    this.write(styled, height)
  }

  write(cells: readonly CellToWrite[], height?: number): void {
    this.rows.write(this.next++, cells, height)
  }

  /** The row that printed pages after it begin with: a sheet has one, of several tables' headers the last. */
  repeat(row: number): void {
    if (this.tab !== 'cover') this.worksheet.pageSetup.printTitlesRow = `${row}:${row}`
  }

  skip(rows = 1): void {
    this.next += rows
  }

  /** The column at so many pixels from the left, and what is left over inside it. */
  columnAt(px: number): { column: number; columnOffsetPx: number } {
    let left = px
    for (let column = 0; ; column++) {
      const width = Math.round((this.widths[column] ?? DEFAULT_WIDTH) * PX_PER_CHARACTER)
      if (left < width) return { column, columnOffsetPx: left }
      left -= width
    }
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
    this.worksheet.commit()
    return drawn
  }
}

/** What stands beside the tables (notes, charts) needs columns whose width every program agrees on. */
function padded(widths: readonly number[]): number[] {
  return [...widths, ...Array.from({ length: Math.max(0, 14 - widths.length) }, () => 10)]
}

function view(frozenRows: number): Partial<ExcelJS.WorksheetView> {
  const common = { showGridLines: false, zoomScale: 100 }
  return frozenRows === 0
    ? { state: 'normal', ...common }
    : { state: 'frozen', xSplit: 0, ySplit: frozenRows, activeCell: 'A1', ...common }
}

const PX_PER_CHARACTER = 7
const DEFAULT_WIDTH = 10
