import type {
  Block,
  Cell,
  ReportDocument,
  Rows,
  Table,
  TableColumn,
} from '../../core/define/report.ts'
import { type Coded, wordsFor } from '../../core/values/code-words.ts'

/**
 * Returns the document for people: words instead of codes, and each table's codes in its last columns. CSV
 * and Parquet files have only the codes, which programs use for joins.
 */
export function inWords(document: ReportDocument): ReportDocument {
  const sections = document.sections.map((section) => ({
    ...section,
    blocks: section.blocks.map(blockInWords),
  }))
  return { ...document, sections }
}

function blockInWords(block: Block): Block {
  if (block.kind === 'table') return tableInWords(block)
  if (block.kind !== 'chart' || block.chart.coded === undefined) return block
  const { coded, categories } = block.chart
  const words = categories.map((category) => wordsFor(category, coded))
  return { ...block, chart: { ...block.chart, categories: words } }
}

function tableInWords(table: Table): Table {
  const { columns, rows } = table
  const words = columns.map(({ coded }) => coded && wordsOf(coded))
  if (words.every((one) => one === undefined)) return table
  const shown = [...words.keys()].filter((at) => mayDiffer(rows, at, words[at]))
  const convert = (row: readonly Cell[]): Cell[] => [
    ...row.map((cell, at) => words[at]?.(cell) ?? cell),
    ...(shown.length > MOST_CODE_COLUMNS
      ? [codesOf(row, words)]
      : shown.map((at) => row[at] ?? null)),
  ]
  const named = columns.map((column, at) => {
    const allowed = column.editable?.allowed?.map((code) => String(words[at]?.(code) ?? code))
    return allowed === undefined ? column : { ...column, editable: { allowed } }
  })
  return {
    ...table,
    columns: [...named, ...codeColumns(shown.flatMap((at) => columns[at] ?? []))],
    rows: converted(rows, convert),
  }
}

function codeColumns(shown: readonly TableColumn[]): TableColumn[] {
  if (shown.length > MOST_CODE_COLUMNS) return [{ name: 'codes', title: 'Codes', format: 'text' }]
  return shown.map(({ name, title }) => ({
    name: `${name}_code`,
    title: shown.length > 1 ? `${title} code` : 'Code',
    format: 'text',
  }))
}

/** The codes of a row that differ from their words, in the order of the columns. */
function codesOf(row: readonly Cell[], words: readonly (Words | undefined)[]): Cell {
  const codes = row.filter((cell, at) => {
    const shown = words[at]?.(cell)
    return shown !== undefined && shown !== cell
  })
  return codes.length === 0 ? null : codes.join('; ')
}

/** Returns the words of a code; returns any other value unchanged. */
type Words = (cell: Cell) => Cell

/** Caches the words of each code, because a list of 200,000 numbers has only a dozen codes. */
function wordsOf(coded: Coded): Words {
  const known = new Map<string, string>()
  return (cell) => {
    if (typeof cell !== 'string') return cell
    const found = known.get(cell)
    if (found !== undefined) return found
    const words = wordsFor(cell, coded)
    if (known.size < MOST_KNOWN) known.set(cell, words)
    return words
  }
}

/** Whether any code of a column differs from its words; true for streamed rows, which are unread so far. */
function mayDiffer(rows: Rows, at: number, words: Words | undefined): boolean {
  if (words === undefined) return false
  return 'stream' in rows || rows.some((row) => words(row[at] ?? null) !== (row[at] ?? null))
}

function converted(rows: Rows, convert: (row: readonly Cell[]) => Cell[]): Rows {
  if (!('stream' in rows)) return rows.map(convert)
  return {
    async *stream() {
      for await (const batch of rows.stream()) yield batch.map(convert)
    },
    first: async (limit) => (await rows.first(limit)).map(convert),
  }
}

/** Tables with more columns of codes show all codes in one last column. */
const MOST_CODE_COLUMNS = 2
const MOST_KNOWN = 10_000
