import { ConfigurationError } from '../../core/errors.ts'
import type { Origin } from '../../report/xlsx/xlsx-origin.ts'
import { continues } from '../../report/xlsx/xlsx-sheet-names.ts'
import { originOf } from './read-origin.ts'
import { readBookParts } from './xlsx-book-parts.ts'
import { readNumberKinds } from './xlsx-number-kinds.ts'
import { openParts, type XlsxParts } from './xlsx-parts.ts'
import { readSharedTexts } from './xlsx-shared-texts.ts'
import { type CellFacts, readSheetRows, type SheetRow } from './xlsx-sheet-rows.ts'
import { readTotalsRows } from './xlsx-totals-rows.ts'

export interface TableWanted {
  /** The sheet's name; its continuations count too: "All numbers (2)". */
  sheet: string
  /** Titles of columns that the header row must have. */
  columns: readonly string[]
}

export interface TableLine {
  /** The requested sheet's name, also for a line in one of its continuations. */
  table: string
  sheet: string
  /** In the sheet, from 1. */
  row: number
  /** By title, for every titled column; '' for an empty cell. */
  cells: Readonly<Record<string, string>>
}

/**
 * Yields the lines of the requested tables in the workbook's order, without loading all of them. A missing
 * sheet yields nothing; one without the required header is an error. Every row below the header is a line,
 * even if a filter hides it, except totals and rows without content in a titled column. `onTable` receives
 * each requested sheet whose header exists, even without lines.
 */
export async function* readTables(
  path: string,
  wanted: readonly TableWanted[],
  onTable: (sheet: string) => void = () => {},
): AsyncGenerator<TableLine> {
  const parts = await openParts(path)
  try {
    const { sheets, sharedTexts, styles, date1904 } = await readBookParts(parts)
    const found = sheets.flatMap(({ name, part }) => {
      const table = wanted.find(({ sheet }) => continues(sheet, name))
      return table === undefined ? [] : [{ table, name, part }]
    })
    if (found.length === 0) return
    const kinds = await readNumberKinds(parts, styles)
    const facts = { texts: await readSharedTexts(parts, sharedTexts), kinds, date1904 }
    for (const sheet of found) yield* linesOf(parts, sheet, { ...facts, onTable })
  } finally {
    parts.close()
  }
}

/** Returns the workbook's origin; undefined if Callsheet did not write it. */
export async function readOrigin(path: string): Promise<Origin | undefined> {
  const parts = await openParts(path)
  try {
    await readBookParts(parts)
    return await originOf(parts)
  } finally {
    parts.close()
  }
}

interface FoundSheet {
  table: TableWanted
  name: string
  part: string
}

async function* linesOf(
  parts: XlsxParts,
  sheet: FoundSheet,
  { onTable, ...facts }: CellFacts & { onTable: (sheet: string) => void },
): AsyncGenerator<TableLine> {
  let header: Header | undefined
  const nearest = new Set<string>()
  const totals = await readTotalsRows(parts, sheet.part)
  for await (const row of readSheetRows(parts, sheet.part, facts)) {
    if (totals.has(row.row)) continue
    if (header === undefined) {
      if (row.row > HEADER_ROWS) break
      header = headerOf(row, sheet, parts.path)
      const titles = new Set(titlesOf(row).map(([, title]) => title))
      for (const title of sheet.table.columns) if (titles.has(title)) nearest.add(title)
      continue
    }
    const line = lineOf(row, header, sheet)
    if (line === 'uncomputed') throw uncomputed(parts.path, sheet.name, row.row)
    if (line !== undefined) yield line
  }
  if (header === undefined) throw noHeader(parts.path, sheet, nearest)
  onTable(sheet.table.sheet)
}

/** The titles by column. */
type Header = ReadonlyMap<number, string>

function titlesOf({ cells }: SheetRow): [number, string][] {
  return [...cells].map(([column, text]) => [column, text.replace(/\s+/g, ' ').trim()])
}

/** Undefined if the row lacks a required title. Of a repeated title, the first column counts. */
function headerOf(row: SheetRow, { table, name }: FoundSheet, path: string): Header | undefined {
  const titles = new Map<string, number>()
  const twice: string[] = []
  for (const [column, title] of titlesOf(row).toSorted(([a], [b]) => a - b)) {
    if (!titles.has(title)) titles.set(title, column)
    else if (table.columns.includes(title)) twice.push(title)
  }
  titles.delete('')
  if (!table.columns.every((title) => titles.has(title))) return undefined
  if (twice.length === 0) return new Map([...titles].map(([title, column]) => [column, title]))
  throw new ConfigurationError('workbook_header', {
    tried: `Reading the sheet "${name}" of ${path}`,
    expected: `each of the columns ${table.columns.join(', ')} once`,
    came: `${twice.join(', ')} twice, in row ${row.row}`,
    todo: 'give the other column another title',
  })
}

function lineOf(
  { row, cells, uncomputed: missing }: SheetRow,
  header: Header,
  { table, name }: FoundSheet,
): TableLine | 'uncomputed' | undefined {
  if (missing.some((column) => header.has(column))) return 'uncomputed'
  const line: Record<string, string> = {}
  let something = false
  for (const [column, title] of header) {
    const text = cells.get(column) ?? ''
    line[title] = text
    something ||= text.trim() !== ''
  }
  return something ? { table: table.sheet, sheet: name, row, cells: line } : undefined
}

function noHeader(
  path: string,
  { table, name }: FoundSheet,
  nearest: ReadonlySet<string>,
): ConfigurationError {
  const lacking = table.columns.filter((title) => !nearest.has(title))
  const came =
    lacking.length === 0 ? 'their titles in different rows' : `no ${lacking.join(', no ')}`
  return new ConfigurationError('workbook_header', {
    tried: `Reading the sheet "${name}" of ${path}`,
    expected: `a row with the titles ${table.columns.join(', ')} among its first ${HEADER_ROWS}`,
    came,
    todo: 'put the titles back as the report had them, or delete the sheet',
  })
}

function uncomputed(path: string, sheet: string, row: number): ConfigurationError {
  return new ConfigurationError('workbook_formula', {
    tried: `Reading row ${row} of the sheet "${sheet}" of ${path}`,
    expected: 'values',
    came: 'a formula whose result was not saved with it',
    todo: 'open the workbook in Excel or LibreOffice, save it and give that file',
  })
}

const HEADER_ROWS = 50
