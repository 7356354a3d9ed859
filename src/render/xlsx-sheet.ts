import type ExcelJS from 'exceljs'
import { type Anchor, drawingRelationships, drawingXml } from './drawing-xml.ts'
import { orderSheet, type PackageWriter, type SheetExtras } from './xlsx-package.ts'
import type { CellStyle } from './xlsx-styles.ts'

export interface SheetOptions {
  name: string
  widths: readonly number[]
  /** Rows that stay in sight; 0 for none. They repeat on every printed page. */
  frozenRows: number
  footer: string
  tab: 'cover' | 'plain' | 'detail'
  onePage?: boolean
}

export interface CellToWrite {
  value: string | number | null
  style: CellStyle
}

const TABS = { cover: 'FF1F3A5F', plain: 'FF2F6FB3', detail: 'FF9AA5B1' }
const YIELD_ROWS = 250

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

  constructor(writer: PackageWriter, options: SheetOptions) {
    this.writer = writer
    this.name = options.name
    this.widths = padded(options.widths)
    this.worksheet = writer.addWorksheet(options.name, {
      properties: { tabColor: { argb: TABS[options.tab] } },
      views: [view(options.frozenRows)],
      pageSetup: {
        paperSize: 9,
        // A chart is not to be torn in two, so a sheet of charts goes on one upright page.
        orientation: options.onePage ? 'portrait' : 'landscape',
        fitToWidth: 1,
        fitToHeight: options.onePage ? 1 : 0,
        margins: { left: 0.4, right: 0.4, top: 0.5, bottom: 0.6, header: 0.3, footer: 0.3 },
        ...(options.frozenRows === 0
          ? {}
          : { printTitlesRow: `${options.frozenRows}:${options.frozenRows}` }),
      },
      headerFooter: { oddFooter: `&L&8${options.footer.replaceAll('&', '&&')}&R&8&P / &N` },
    })
    this.worksheet.columns = this.widths.map((width) => ({ width }))
    orderSheet(this.worksheet, this.extras)
  }

  /** Writes the row; resolves at once but for every so many rows, when the zip gets its turn. */
  async put(cells: readonly CellToWrite[], height?: number): Promise<void> {
    this.write(cells, height)
    if (this.next % YIELD_ROWS === 0) await new Promise(setImmediate)
  }

  /** One text over the width of `columns` columns. */
  merged(cell: CellToWrite, columns: number, height?: number): void {
    const row = this.next
    const styled = Array.from({ length: columns }, (_, index) =>
      index === 0 ? cell : { value: null, style: cell.style },
    )
    const written = this.fill(styled, height)
    if (columns > 1) this.worksheet.mergeCells(row, 1, row, columns)
    written.commit()
    this.next++
  }

  write(cells: readonly CellToWrite[], height?: number): void {
    this.fill(cells, height).commit()
    this.next++
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

  commit(drawing: number): boolean {
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

  private fill(cells: readonly CellToWrite[], height: number | undefined): ExcelJS.Row {
    const row = this.worksheet.getRow(this.next)
    for (const [index, { value, style }] of cells.entries()) {
      const cell = row.getCell(index + 1)
      cell.value = value
      // The very object, not a copy: the writer knows a style by its object.
      cell.style = style
    }
    if (height !== undefined) row.height = height
    return row
  }
}

/** What stands beside the tables (notes, charts) needs columns whose width every program agrees on. */
function padded(widths: readonly number[]): number[] {
  return [...widths, ...Array.from({ length: Math.max(0, 14 - widths.length) }, () => 10)]
}

/** A column's letters: 1 is A, 27 is AA. */
export function columnLetters(column: number): string {
  const rest = (column - 1) % 26
  const head = column > 26 ? columnLetters(Math.floor((column - 1) / 26)) : ''
  return head + String.fromCharCode(65 + rest)
}

function view(frozenRows: number): Partial<ExcelJS.WorksheetView> {
  const common = { showGridLines: false, zoomScale: 100 }
  return frozenRows === 0
    ? { state: 'normal', ...common }
    : { state: 'frozen', xSplit: 0, ySplit: frozenRows, activeCell: 'A1', ...common }
}

const PX_PER_CHARACTER = 7
const DEFAULT_WIDTH = 10
