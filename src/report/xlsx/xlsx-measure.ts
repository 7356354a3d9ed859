import type { Block, Cell, CellFormat } from '../../core/define/report.ts'
import { formatCell } from '../files/browser/format-cell.js'
import { firstRows } from '../files/row-batches.ts'
import { displayWidth } from './text-width.ts'

const SAMPLED_ROWS = 300
const NARROWEST = 9
const WIDEST = 46
/** The maximum width of a column of single words: hashes (64 digits), IDs and addresses must not wrap. */
const WIDEST_WORD = 70

/**
 * Returns column widths in characters. A streamed sheet needs them before its rows, so the first rows decide.
 */
export async function measureColumns(blocks: readonly Block[]): Promise<number[]> {
  const widths: number[] = []
  const widen = (index: number, characters: number): void => {
    widths[index] = Math.max(widths[index] ?? NARROWEST, characters)
  }
  for (const block of blocks) {
    for (const [index, characters] of (await blockWidths(block)).entries()) widen(index, characters)
  }
  return widths.length === 0 ? [WIDEST, WIDEST] : widths
}

async function blockWidths(block: Block): Promise<number[]> {
  if (block.kind === 'figures') {
    const labels = block.figures.map(({ label }) => displayWidth(label) + 5)
    const values = block.figures.map(({ value, format }) => cellWidth(value, format) + 5)
    const trend = block.figures.some((figure) => figure.trend !== undefined) ? [16] : []
    return [Math.max(...labels, 0), Math.max(...values, 13), 13, 13, ...trend].map(atMostWidest)
  }
  if (block.kind !== 'table') return []
  const rows = await firstRows(block.rows, SAMPLED_ROWS)
  return block.columns.map((column, index) => {
    const cells = rows.map((row) => row[index] ?? null)
    const widest = Math.max(...cells.map((cell) => cellWidth(cell, column.format) + 4))
    const most = cells.some(hasSeveralWords) ? WIDEST : WIDEST_WORD
    return Math.max(atMostWidest(headerWidth(column.title)), Math.min(most, widest))
  })
}

function atMostWidest(width: number): number {
  return Math.min(WIDEST, width)
}

function hasSeveralWords(cell: Cell): boolean {
  return typeof cell === 'string' && /\s/.test(cell)
}

function cellWidth(value: Cell, format: CellFormat): number {
  if (format === 'date') return 10
  if (format === 'instant') return 16
  const text = formatCell(value, format)
  return Math.max(...text.slice(0, 200).split('\n').map(displayWidth))
}

/** Returns a header's width: it may wrap, but not inside a word, and needs room for the filter button. */
function headerWidth(title: string): number {
  const words = title.split(/\s+/).map(displayWidth)
  return Math.max(...words, Math.ceil(displayWidth(title) / 2)) + 6
}
