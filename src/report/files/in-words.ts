import type {
  Block,
  Cell,
  ReportDocument,
  Rows,
  Table,
  TableColumn,
} from '../../core/define/report.ts'
import { codeWords } from '../../core/values/code-words.ts'

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
  if (block.kind !== 'chart' || block.chart.coded !== true) return block
  return { ...block, chart: { ...block.chart, categories: block.chart.categories.map(codeWords) } }
}

function tableInWords(table: Table): Table {
  const { columns, rows } = table
  const coded = columns.flatMap((column, at) => (column.coded === true ? [at] : []))
  if (coded.length === 0) return table
  const shown = coded.filter((at) => mayDiffer(rows, at))
  const codes = shown.map((at): TableColumn => {
    const { name, title } = columns[at] ?? { name: '', title: '' }
    return {
      name: `${name}_code`,
      title: shown.length > 1 ? `${title} code` : 'Code',
      format: 'text',
    }
  })
  const convert = (row: readonly Cell[]): Cell[] => [
    ...row.map((cell, at) => (coded.includes(at) ? cellInWords(cell) : cell)),
    ...shown.map((at) => row[at] ?? null),
  ]
  return { ...table, columns: [...columns, ...codes], rows: converted(rows, convert) }
}

/** Whether any code of a column differs from its words; true for streamed rows, which are unread so far. */
function mayDiffer(rows: Rows, at: number): boolean {
  return 'stream' in rows || rows.some((row) => cellInWords(row[at] ?? null) !== row[at])
}

function cellInWords(cell: Cell): Cell {
  return typeof cell === 'string' ? codeWords(cell) : cell
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
