import type { Cell, CellFormat, Table, TableColumn } from '../../core/define/report.ts'
import { isNumeric } from './browser/format-cell.js'
import { type ParquetColumn, writeParquet } from './parquet-file.ts'
import { canStore, type ParquetKind } from './parquet-kinds.ts'
import { rowBatches } from './row-batches.ts'

type CellRow = readonly Cell[]

/**
 * Writes one table as a Parquet file, with types by the formats of its columns. Words in a column of numbers,
 * such as "too few", go into a separate column. `metadata` comes before titles and formats of the columns.
 */
export async function renderParquet(
  table: Table,
  path: string,
  metadata: Readonly<Record<string, string>>,
): Promise<void> {
  const columns = columnsOf(table)
  const facts = (fact: 'title' | 'format') =>
    JSON.stringify(Object.fromEntries(columns.map(({ name, of }) => [name, of[fact]])))
  const own = { 'callsheet.columns': facts('title'), 'callsheet.formats': facts('format') }
  const content = { columns, metadata: { ...metadata, ...own }, batches: rowBatches(table.rows) }
  await writeParquet(path, content)
}

type ReportColumn = ParquetColumn<CellRow> & { of: TableColumn }

function columnsOf({ columns, rows }: Table): ReportColumn[] {
  // SQL gives each column of streamed rows one type.
  const atHand = 'stream' in rows ? [] : rows
  const taken = new Set<string>()
  const names = columns.map(({ name }) => freeName(name, taken))
  return columns.flatMap((of, at): ReportColumn[] => {
    const values = atHand.map((row) => row[at] ?? null).filter((value) => value !== null)
    const valueOf = (row: CellRow): Cell => row[at] ?? null
    const name = names[at] ?? of.name
    const kind = KINDS[of.format]
    if (values.every((value) => canStore(value, kind))) return [{ of, name, kind, valueOf }]
    const numbers = values.filter((value) => typeof value === 'number')
    if (!isNumeric(of.format) || numbers.length === 0) return [{ of, name, kind: 'text', valueOf }]
    const number = numbers.every((value) => canStore(value, kind)) ? kind : 'double'
    const column = { of, name, kind: number, valueOf: (row: CellRow) => numberOf(valueOf(row)) }
    if (numbers.length === values.length) return [column]
    const words = freeName(`${of.name}_text`, taken)
    return [column, { of, name: words, kind: 'text', valueOf: (row) => wordsOf(valueOf(row)) }]
  })
}

const numberOf = (value: Cell): Cell => (typeof value === 'number' ? value : null)
const wordsOf = (value: Cell): Cell => (typeof value === 'number' ? null : value)

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${wanted}_${number}`
  // Compared in lower case, because some readers ignore case.
  taken.add(name.toLowerCase())
  return name
}

const KINDS: Readonly<Record<CellFormat, ParquetKind>> = {
  text: 'text',
  integer: 'integer',
  decimal: 'double',
  money: 'double',
  percent: 'double',
  seconds: 'double',
  boolean: 'boolean',
  date: 'date',
  instant: 'local',
}
