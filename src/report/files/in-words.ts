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
  const kinds = columns.map(({ coded }) => coded)
  if (kinds.every((coded) => coded === undefined)) return table
  const shown = [...kinds.keys()].filter((at) => mayDiffer(rows, at, kinds[at]))
  const codes = shown.map((at): TableColumn => {
    const { name, title } = columns[at] ?? { name: '', title: '' }
    return {
      name: `${name}_code`,
      title: shown.length > 1 ? `${title} code` : 'Code',
      format: 'text',
    }
  })
  const convert = (row: readonly Cell[]): Cell[] => [
    ...row.map((cell, at) => cellInWords(cell, kinds[at])),
    ...shown.map((at) => row[at] ?? null),
  ]
  return { ...table, columns: [...columns, ...codes], rows: converted(rows, convert) }
}

/** Whether any code of a column differs from its words; true for streamed rows, which are unread so far. */
function mayDiffer(rows: Rows, at: number, coded: Coded | undefined): boolean {
  if (coded === undefined) return false
  return 'stream' in rows || rows.some((row) => cellInWords(row[at] ?? null, coded) !== row[at])
}

function cellInWords(cell: Cell, coded: Coded | undefined): Cell {
  return typeof cell === 'string' && coded !== undefined ? wordsFor(cell, coded) : cell
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
