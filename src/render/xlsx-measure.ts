import type { Block, Cell, CellFormat, Section } from '../core/report.ts'
import { firstRows, formatCell } from './format-cell.ts'

const SAMPLED_ROWS = 300
const NARROWEST = 9
const WIDEST = 46

/**
 * Column widths in characters. A stream's sheet takes them before its rows, so the first rows speak
 * for all.
 */
export async function measureColumns(section: Section): Promise<number[]> {
  const widths: number[] = []
  const widen = (index: number, characters: number): void => {
    const wanted = Math.min(WIDEST, Math.max(NARROWEST, characters))
    widths[index] = Math.max(widths[index] ?? NARROWEST, wanted)
  }
  for (const block of section.blocks) {
    for (const [index, characters] of (await blockWidths(block)).entries()) widen(index, characters)
  }
  return widths.length === 0 ? [WIDEST, WIDEST] : widths
}

async function blockWidths(block: Block): Promise<number[]> {
  if (block.kind === 'figures') {
    const labels = block.figures.map(({ label }) => displayWidth(label) + 5)
    const values = block.figures.map(({ value, format }) => cellWidth(value, format) + 5)
    return [Math.max(...labels, 0), Math.max(...values, 13), 13, 13]
  }
  if (block.kind !== 'table') return []
  const rows = await firstRows(block.rows, SAMPLED_ROWS)
  return block.columns.map((column, index) => {
    const cells = rows.map((row) => cellWidth(row[index] ?? null, column.format))
    return Math.max(headerWidth(column.title), ...cells.map((width) => width + 4))
  })
}

/** How wide the text shows; East Asian letters and emoji take two places. */
export function displayWidth(text: string): number {
  let width = 0
  for (const letter of text) width += (letter.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1
  return width
}

export function lineCount(text: string, width: number): number {
  return text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / Math.max(1, width))), 0)
}

function cellWidth(value: Cell, format: CellFormat): number {
  if (format === 'date') return 10
  if (format === 'instant') return 16
  const text = formatCell(value, format)
  return Math.max(...text.slice(0, 200).split('\n').map(displayWidth))
}

/** A header may wrap, but not inside a word, and the filter's button needs its place. */
function headerWidth(title: string): number {
  const words = title.split(/\s+/).map(displayWidth)
  return Math.max(...words, Math.ceil(displayWidth(title) / 2)) + 6
}
