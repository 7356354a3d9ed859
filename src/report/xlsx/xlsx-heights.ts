import type { Cell, TableColumn } from '../../core/define/report.ts'
import { isOneLine, lineCount } from './text-width.ts'
import type { CellToWrite } from './xlsx-rows.ts'

/** The height of a line in points. We set the height of rows of several lines, as some programs do not. */
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

/** Returns a height that fits the text with the most lines; undefined for one line. */
export function bodyHeight(
  cells: readonly CellToWrite[],
  widths: readonly number[],
): number | undefined {
  const texts = cells.map(({ value }) => (typeof value === 'string' ? value : ''))
  return heightFor(Math.max(...texts.map((text, at) => lineCount(text, roomIn(widths, at)))))
}

/**
 * Returns a function that returns the height of a row; undefined for a single line. A table may have a
 * million rows, so texts that certainly fit are not measured.
 */
export function rowHeights(
  columns: readonly TableColumn[],
  widths: readonly number[],
): (row: readonly Cell[]) => number | undefined {
  const wrapping = columns.flatMap(({ format }, at) =>
    format === 'date' || format === 'instant' ? [] : [{ at, room: roomIn(widths, at) }],
  )
  return (row) => {
    let most = 1
    for (const { at, room } of wrapping) {
      const cell = row[at]
      if (typeof cell !== 'string' || isOneLine(cell, room)) continue
      // Measures only as much text as fills the highest row.
      most = Math.max(most, lineCount(cell.slice(0, room * MOST_LINES * MOST_IN_ONE), room))
    }
    return heightFor(most)
  }
}

function heightFor(lines: number): number | undefined {
  return lines === 1 ? undefined : Math.min(lines * ROW_POINTS + 2, MOST_POINTS)
}

function roomIn(widths: readonly number[], index: number): number {
  return (widths[index] ?? 9) - 2
}

/** The width of the button in digits, like all widths. */
const FILTER_BUTTON = 1
const MOST_LINES = Math.ceil(MOST_POINTS / ROW_POINTS)
/** The maximum number of narrow characters in the width of one digit. */
const MOST_IN_ONE = 2
