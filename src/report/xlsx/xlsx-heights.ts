import { lineCount } from './text-width.ts'
import type { CellToWrite } from './xlsx-rows.ts'

/** The height of a line in points. Rows of several lines get a set height, because some programs set none. */
export const ROW_POINTS = 15
/** The maximum height of a row in all programs. */
const MOST_POINTS = 409

export function noteHeight(text: string, width: number): number {
  return lineCount(text, width * 0.95) * ROW_POINTS + 7
}

/** Returns a height that fits the title with the most lines. */
export function headerHeight(titles: readonly string[], widths: readonly number[]): number {
  const lines = titles.map((title, at) => lineCount(title, roomIn(widths, at) - FILTER_BUTTON))
  return Math.max(...lines) * ROW_POINTS + 6
}

/** Returns a height for the text with the most lines, at most `MOST_POINTS`; undefined for one line. */
export function bodyHeight(
  cells: readonly CellToWrite[],
  widths: readonly number[],
): number | undefined {
  const texts = cells.map(({ value }) => (typeof value === 'string' ? value : ''))
  const lines = Math.max(...texts.map((text, at) => lineCount(text, roomIn(widths, at))))
  return lines === 1 ? undefined : Math.min(lines * ROW_POINTS + 2, MOST_POINTS)
}

function roomIn(widths: readonly number[], index: number): number {
  return (widths[index] ?? 9) - 2
}

/** The width of the button in digits, like all widths. */
const FILTER_BUTTON = 1
