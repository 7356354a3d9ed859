import type {
  Cell,
  ChartBlock,
  Figures,
  Note,
  Table,
  TableColumn,
} from '../../core/define/report.ts'
import { formatChange } from '../files/browser/format-cell.js'
import { rowBatches } from '../files/row-batches.ts'
import { headerTitles, tableName } from './table-xml.ts'
import { bodyCell } from './xlsx-body.ts'
import type { Book } from './xlsx-book.ts'
import { bodyHeight, headerHeight, noteHeight } from './xlsx-heights.ts'
import type { OfferedLists } from './xlsx-lists.ts'
import { type CellToWrite, columnLetters } from './xlsx-rows.ts'
import type { Sheet } from './xlsx-sheet.ts'
import * as styles from './xlsx-styles.ts'
import { changeValue, excelValue, NUMBER_FORMATS } from './xlsx-value.ts'

const CHART_PX = { full: 940, half: 462, gap: 16 }
const CHART_ROWS = 15

/** Where a table is written; a long table continues on the next sheet. */
export interface TableTarget {
  sheet: Sheet
  lists: OfferedLists
  maxRows: number
  /** The title of the section, used for the table's name. */
  section: string
  /** Whether the sheet's title is also the table's, so that it is not repeated. */
  titled: boolean
  /** Ends the sheet and opens the next one. */
  nextSheet(): Promise<Sheet>
}

/** Writes a note across the first columns, and beside it a link to the `location` of its details. */
export function writeNote(sheet: Sheet, note: Note, location?: string): void {
  let columns = 0
  let width = 0
  while (width < 100 && columns < sheet.widths.length) {
    width += sheet.widths[columns++] ?? 9
  }
  const text = { value: excelValue(note.text, 'text'), style: styles.noteStyle(note.tone) }
  const link = { value: excelValue(`→ ${note.link}`, 'text'), style: styles.NOTE_LINK }
  if (location !== undefined)
    sheet.extras.links.push({ cell: `${columnLetters(columns + 1)}${sheet.next}`, location })
  const beside = location === undefined ? [] : [link]
  sheet.merged(text, columns, { height: noteHeight(note.text, width), beside })
}

export function writeFigures(sheet: Sheet, block: Figures): void {
  const compared = block.figures.some(({ before }) => before !== undefined)
  const drawn = compared && block.figures.some(({ trend }) => trend !== undefined)
  sheet.write([{ value: excelValue(block.title, 'text'), style: styles.HEADING }], 20)
  if (compared) {
    const titles = [
      '',
      'Value',
      block.beforeLabel ?? 'Before',
      'Change',
      ...(drawn ? ['Trend'] : []),
    ]
    const cells = titles.map((value, index) => ({
      value: excelValue(value, 'text'),
      style: styles.headerStyle(index === 0 ? 'text' : 'integer'),
    }))
    sheet.write(cells, headerHeight(titles, sheet.widths))
  }
  for (const figure of block.figures) {
    const { label, value, format, before = null } = figure
    const cells: CellToWrite[] = [
      { value: excelValue(label, 'text'), style: styles.bodyStyle('text', 'label') },
      compared ? figureCell(value, format) : bodyCell(value, { format }),
    ]
    if (compared) cells.push(figureCell(before, format), changeCell(figure))
    if (drawn) cells.push(figureCell(sparkText(figure.trend ?? []), 'text'))
    sheet.write(cells, bodyHeight(cells, sheet.widths))
  }
  sheet.skip()
}

/** Draws a figure's values as bars that start at zero, with one character for each value. */
function sparkText(values: readonly (number | null)[]): string {
  const top = Math.max(...values.map((value) => value ?? 0), Number.MIN_VALUE)
  const signs = values.map((value) =>
    value === null ? '·' : ('▁▂▃▄▅▆▇█'[Math.round((7 * value) / top)] ?? ''),
  )
  return signs.join('')
}

/** Aligns all values right, even words, beside figures of the previous period. */
function figureCell(value: Cell, format: TableColumn['format']): CellToWrite {
  return { value: excelValue(value, format), style: styles.figureStyle(format) }
}

function changeCell({ value, before, format, better }: Figures['figures'][number]): CellToWrite {
  if (typeof value !== 'number' || typeof before !== 'number')
    return { value: null, style: styles.changeStyle('integer', 'none') }
  const change = changeValue(value - before, format)
  const good =
    better === undefined || change === 0 ? undefined : change > 0 === (better === 'higher')
  const mood = good === undefined ? 'none' : good ? 'good' : 'bad'
  // Spreadsheet programs show a negative time as number signs.
  const shown = format === 'seconds' ? formatChange(value, before, format) : change
  return { value: shown, style: styles.changeStyle(format, mood) }
}

/** Writes a table, if necessary on several sheets. Returns the last of them. */
export async function writeTableBlock(table: Table, target: TableTarget): Promise<Sheet> {
  let { sheet } = target
  let first = writeHeader(sheet, table, target.titled)
  let written = 0
  for await (const rows of rowBatches(table.rows))
    for (const row of rows) {
      if (sheet.next > target.maxRows) {
        endTable(sheet, table, { first, target })
        sheet = await target.nextSheet()
        first = writeHeader(sheet, table, true)
      }
      const cells = table.columns.map((column, at) => bodyCell(row[at] ?? null, column))
      const full = sheet.put(cells, bodyHeight(cells, sheet.widths))
      if (full !== undefined) await full
      written++
    }
  if (written > 0) endTable(sheet, table, { first, target })
  else {
    sheet.write([{ value: excelValue(table.empty ?? 'None.', 'text'), style: styles.QUIET }])
    offerValues(sheet, table, { first, target })
  }
  sheet.skip()
  return sheet
}

/** Writes the header. Returns the number of the first body row. */
function writeHeader(sheet: Sheet, table: Table, titled: boolean): number {
  if (!titled) {
    sheet.write([{ value: excelValue(table.title, 'text'), style: styles.HEADING }], 20)
  }
  const titles = headerTitles(table.columns)
  const cells = table.columns.map(({ format, editable }, at) => ({
    value: excelValue(titles[at] ?? null, 'text'),
    style: styles.headerStyle(format, editable === undefined ? 'plain' : 'editable'),
  }))
  sheet.write(cells, headerHeight(titles, sheet.widths))
  sheet.headed(titles)
  return sheet.next
}

function endTable(
  sheet: Sheet,
  { title, columns }: Pick<Table, 'title' | 'columns'>,
  { first, target }: { first: number; target: TableTarget },
): void {
  const last = sheet.next - 1
  const range = (from: number, to: number, top = first): string =>
    `${columnLetters(from)}${top}:${columnLetters(to)}${last}`
  for (const [index, column] of columns.entries()) {
    const ref = range(index + 1, index + 1)
    const rules = column.tint === undefined ? [] : styles.tintRules(column.tint)
    if (rules.length > 0) sheet.worksheet.addConditionalFormatting({ ref, rules })
    if (isText(column)) sheet.extras.textRanges.push(ref)
  }
  offerValues(sheet, { columns }, { first, target })
  sheet.addTable({
    name: tableName(target.section, title),
    titles: headerTitles(columns),
    ref: range(1, columns.length, first - 1),
  })
}

/** Offers values for the cells that a person fills in: on a sheet without locked cells, in added rows too. */
function offerValues(
  sheet: Sheet,
  { columns }: Pick<Table, 'columns'>,
  { first, target }: { first: number; target: TableTarget },
): void {
  const locked = columns.some(({ editable }) => editable !== undefined)
  sheet.extras.locked ||= locked
  const last = locked ? sheet.next - 1 : target.maxRows
  for (const [index, { title, editable, suggested }] of columns.entries()) {
    if (editable === undefined && suggested === undefined) continue
    const values = editable?.allowed ?? suggested
    const letters = columnLetters(index + 1)
    sheet.extras.toFill.push({
      ref: `${letters}${first}:${letters}${last}`,
      title,
      values,
      open: editable?.allowed === undefined,
      range: () => target.lists.add(title, values ?? []),
    })
  }
}

function isText({ format }: TableColumn): boolean {
  return NUMBER_FORMATS[format] === '@'
}

/** Writes consecutive charts; half-width charts are side by side. */
export function writeCharts(book: Book, sheet: Sheet, blocks: readonly ChartBlock[]): void {
  let left = 0
  for (const [index, block] of blocks.entries()) {
    const half = block.width === 'half'
    const top = sheet.next - 1
    if (left === 0 && index > 0) sheet.begin()
    sheet.anchors.push({
      from: { ...sheet.columnAt(left), row: top },
      to: {
        ...sheet.columnAt(left + (half ? CHART_PX.half : CHART_PX.full)),
        row: top + CHART_ROWS,
      },
      chart: book.addChart(block),
      title: block.title,
    })
    const beside = half && left === 0 && blocks[index + 1]?.width === 'half'
    left = beside ? CHART_PX.half + CHART_PX.gap : 0
    if (!beside) sheet.skip(CHART_ROWS + 1)
  }
}
