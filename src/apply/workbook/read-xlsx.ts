import { ConfigurationError } from '../../core/errors.ts'
import { continues } from '../../report/xlsx/xlsx-sheet-names.ts'
import { readBookParts } from './xlsx-book-parts.ts'
import { openParts, type XlsxParts } from './xlsx-parts.ts'
import { readSharedTexts, type SharedTexts } from './xlsx-shared-texts.ts'
import { readSheetRows, type SheetRow } from './xlsx-sheet-rows.ts'

export interface TableWanted {
  /** The sheet's name; continuations such as "All numbers (2)" count too. */
  sheet: string
  /** Titles of columns that the header row must have. */
  columns: readonly string[]
}

export interface TableLine {
  /** The requested sheet's name. Lines of its continuations have the same name. */
  table: string
  sheet: string
  /** The row's number in the sheet, from 1. */
  row: number
  /** The text of every titled column, by title; '' for an empty cell. */
  cells: Readonly<Record<string, string>>
}

/**
 * Yields the lines of the requested tables in the workbook's order, without loading them all. A missing sheet
 * yields nothing; a sheet without the required header is an error. Every row below the header is a line, even
 * if a filter hides it, except totals and rows without content in a titled column. `onTable` receives each
 * requested sheet whose header exists, even without lines.
 */
export async function* readTables(
  path: string,
  wanted: readonly TableWanted[],
  onTable: (sheet: string) => void = () => {},
): AsyncGenerator<TableLine> {
  const parts = await openParts(path)
  try {
    const { sheets, sharedTexts } = await readBookParts(parts)
    const found = sheets.flatMap(({ name, part }) => {
      const table = wanted.find(({ sheet }) => continues(sheet, name))
      return table === undefined ? [] : [{ table, name, part }]
    })
    if (found.length === 0) return
    const texts = await readSharedTexts(parts, sharedTexts)
    for (const sheet of found) yield* linesOf(parts, sheet, { texts, onTable })
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
  { onTable, texts }: { texts: SharedTexts; onTable: (sheet: string) => void },
): AsyncGenerator<TableLine> {
  let header: Header | undefined
  const nearest = new Set<string>()
  const totals = await readTotalsRows(parts, sheet.part)
  for await (const row of readSheetRows(parts, sheet.part, texts)) {
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

/**
 * Returns the header; undefined if the row lacks a required title. Throws if a required title is repeated. Of
 * another repeated title, the first column counts.
 */
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
    came: `row ${row.row} has more than one column with the title ${twice.join(', ')}`,
    todo: 'rename or delete the added column',
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
    lacking.length === 0
      ? 'the column titles are in different rows'
      : `the columns ${lacking.join(', ')} are missing`
  return new ConfigurationError('workbook_header', {
    tried: `Reading the sheet "${name}" of ${path}`,
    expected: `the titles ${table.columns.join(', ')} in one of the first ${HEADER_ROWS} rows`,
    came,
    todo: 'restore the titles of the report, or delete the sheet',
  })
}

function uncomputed(path: string, sheet: string, row: number): ConfigurationError {
  return new ConfigurationError('workbook_formula', {
    tried: `Reading row ${row} of the sheet "${sheet}" of ${path}`,
    came: 'the row contains a formula without a saved result',
    todo: 'open the workbook in Excel or LibreOffice, save it and apply that file',
  })
}

/** Returns the totals rows of a sheet's tables, which look like lines but are not. */
async function readTotalsRows(parts: XlsxParts, sheet: string): Promise<Set<number>> {
  const totals = new Set<number>()
  for (const { kind, target } of await parts.related(sheet)) {
    if (kind !== 'table' || !parts.has(target)) continue
    await parts.read(target, {
      open(element, { ref = '', totalsRowCount = '0' }) {
        if (element !== 'table') return
        // Programs write at most one totals row.
        if (Number(totalsRowCount) > 0) totals.add(Number(/(\d+)$/.exec(ref)?.[1]))
      },
    })
  }
  return totals
}

const HEADER_ROWS = 50
