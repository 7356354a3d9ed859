import { readText } from '../../report/xlsx/xlsx-text.ts'
import type { XmlHandler } from './read-xml.ts'
import type { XlsxParts } from './xlsx-parts.ts'
import type { SharedTexts } from './xlsx-shared-texts.ts'

export interface SheetRow {
  /** The row's number, from 1. */
  row: number
  /** The cells with content, by column from 0. */
  cells: Map<number, string>
  /** Columns of formulas whose result was not saved. */
  uncomputed: readonly number[]
}

/** Yields the sheet's rows in order, without rows that have no cells. */
export function readSheetRows(
  parts: XlsxParts,
  part: string,
  texts: SharedTexts,
): AsyncGenerator<SheetRow> {
  return parts.gather(part, new RowGatherer(texts), MOST_XML_BYTES)
}

interface OpenCell {
  column: number
  type: string
  formula: boolean
  value: string | undefined
}

/** Receives the sheet's elements and returns its rows. */
class RowGatherer implements XmlHandler<SheetRow> {
  private readonly texts: SharedTexts
  private done: SheetRow[] = []
  private row: { row: number; cells: Map<number, string>; uncomputed: number[] } | undefined
  private cell: OpenCell | undefined
  /** The number of characters in this row so far. */
  private held = 0
  private lastRow = 0
  private lastColumn = -1
  private cells = 0
  private inValue = false
  private phonetic = 0

  constructor(texts: SharedTexts) {
    this.texts = texts
  }

  take(): SheetRow[] {
    const taken = this.done
    this.done = []
    return taken
  }

  open(element: string, attributes: Readonly<Record<string, string>>): void {
    this.inValue = false
    if (element === 'c') this.openCell(attributes)
    else if (element === 'v') this.openValue()
    else if (element === 't') this.openText()
    else if (element === 'row') this.openRow(attributes)
    else if (element === 'f' && this.cell !== undefined) this.cell.formula = true
    else if (element === 'rPh') this.phonetic++
  }

  text(text: string): void {
    if (!this.inValue || this.cell === undefined) return
    this.hold(text)
    this.cell.value = (this.cell.value ?? '') + text
  }

  private hold(text: string): void {
    this.held += text.length
    if (this.held > MOST_ROW_TEXT) throw new Error(`a row of more than ${MOST_ROW_TEXT} characters`)
  }

  close(element: string): void {
    this.inValue = false
    if (element === 'c') this.closeCell()
    else if (element === 'row') this.closeRow()
    else if (element === 'rPh') this.phonetic--
  }

  /** Starts a row. Rows and cells may omit their position, and then follow the previous one. */
  private openRow({ r }: Readonly<Record<string, string>>): void {
    this.lastRow = r === undefined ? this.lastRow + 1 : Number(r)
    if (!(this.lastRow >= 1 && this.lastRow <= MOST_ROWS)) throw new Error('a row in no place')
    this.lastColumn = -1
    this.held = 0
    this.row = { row: this.lastRow, cells: new Map(), uncomputed: [] }
  }

  private openCell({ r, t = 'n' }: Readonly<Record<string, string>>): void {
    if (++this.cells > MOST_CELLS) throw new Error(`more than ${MOST_CELLS} cells`)
    this.lastColumn = r === undefined ? this.lastColumn + 1 : columnOf(r)
    this.cell = { column: this.lastColumn, type: t, formula: false, value: undefined }
  }

  private openValue(): void {
    this.inValue = this.cell !== undefined
    if (this.cell !== undefined) this.cell.value = ''
  }

  /** Joins formatted pieces of one text, and ignores phonetic hints. */
  private openText(): void {
    this.inValue = this.cell !== undefined && this.phonetic === 0
  }

  private closeCell(): void {
    const { row, cell } = this
    this.cell = undefined
    if (row === undefined || cell === undefined) return
    const text = this.textOf(cell)
    if (text !== '') row.cells.set(cell.column, text)
    if (cell.formula && cell.value === undefined) row.uncomputed.push(cell.column)
  }

  private closeRow(): void {
    const { row } = this
    this.row = undefined
    if (row !== undefined && row.cells.size + row.uncomputed.length > 0) this.done.push(row)
  }

  private textOf({ type, value }: OpenCell): string {
    if (value === undefined || value === '') return ''
    if (type === 's') {
      const text = sharedText(this.texts, value)
      this.hold(text)
      return text
    }
    if (type === 'n') return numberText(value)
    if (type === 'b') return value.trim() === '1' ? 'TRUE' : 'FALSE'
    // Text may have escapes. An error such as #REF! and an ISO date stay unchanged.
    return type === 'inlineStr' || type === 'str' ? readText(value) : value
  }
}

function sharedText(texts: SharedTexts, index: string): string {
  const text = texts.at(Number(index))
  if (text === undefined) throw new Error('a cell whose text is not in the table of texts')
  return text
}

/** Returns the column index of a cell: 1 for `B7`. */
function columnOf(place: string): number {
  let column = 0
  for (let at = 0; at < place.length; at++) {
    const letter = place.charCodeAt(at) - 64
    if (letter < 1 || letter > 26) break
    column = column * 26 + letter
  }
  if (column < 1 || column > MOST_COLUMNS) throw new Error('a cell in no column')
  return column - 1
}

/**
 * Formats a number without exponent or separators, because it may be a typed phone number. A stored integer
 * stays unchanged; other numbers have up to 15 digits, as in spreadsheet programs. A date is a number.
 */
function numberText(text: string): string {
  const stored = text.trim()
  const value = Number(stored)
  if (stored === '' || !Number.isFinite(value)) return text
  if (/^-?[1-9]\d*$/.test(stored)) return stored
  const shown = { useGrouping: false, maximumSignificantDigits: 15 } as const
  return (value === 0 ? 0 : value).toLocaleString('en-US', shown)
}

const MOST_ROWS = 1_048_576
const MOST_COLUMNS = 16_384
/** The maximum number of cells: a full sheet of forty columns. */
const MOST_CELLS = 40_000_000
/** The maximum text of a row, that of 60 full cells: a hostile row could contain half a gigabyte. */
const MOST_ROW_TEXT = 2 ** 21
const MOST_XML_BYTES = 2 ** 32
