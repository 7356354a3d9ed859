import type { Cell, TableColumn } from '../../core/define/report.ts'
import { cellLook } from '../files/browser/format-cell.js'
import { FULL_RED_SHARE, STATE_TINTS } from '../files/palette.ts'
import { escapeHtml } from './escape-html.ts'

/** Returns the cells of a row; the page's script makes the same HTML. */
export function cellsHtml(columns: readonly TableColumn[], row: readonly Cell[]): string {
  return columns
    .map((column, index) => {
      const { text, className, style, pill } = cellLook(row[index] ?? null, column, LOOKS)
      const escaped = escapeHtml(text)
      const shown =
        pill === undefined || text === '' ? escaped : `<span class="${pill}">${escaped}</span>`
      const tag = index === 0 ? 'th' : 'td'
      const scope = index === 0 ? ' scope="row"' : ''
      const named = className === '' ? '' : ` class="${className}"`
      const styled = style === '' ? '' : ` style="${style}"`
      return `<${tag}${scope}${named}${styled}>${shown}</${tag}>`
    })
    .join('')
}

/** The looks of states and shares; a page contains them as JSON for its script. */
export const LOOKS = { states: STATE_TINTS, fullRedShare: FULL_RED_SHARE }
