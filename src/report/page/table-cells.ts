import type { Cell, TableColumn } from '../../core/define/report.ts'
import { formatCell, formatChange, isNumeric, visibleChange } from '../files/format-cell.ts'
import { FULL_RED_SHARE, STATE_TINTS } from '../files/palette.ts'
import { escapeHtml } from './escape-html.ts'

/** Returns the cells of a row; the page's script makes the same HTML. */
export function cellsHtml(columns: readonly TableColumn[], row: readonly Cell[]): string {
  return columns
    .map((column, index) => {
      const value = row[index] ?? null
      const text = cellText(column, value)
      const shown = text === '' ? '' : pill(column.tint, escapeHtml(text))
      const tag = index === 0 ? 'th' : 'td'
      const scope = index === 0 ? ' scope="row"' : ''
      return `<${tag}${scope}${look(column, value, text)}>${shown}</${tag}>`
    })
    .join('')
}

/** Formats a cell. A change has its sign; a change of shares is in percentage points. */
function cellText({ tint: kind, format }: TableColumn, value: Cell): string {
  return kind === 'delta' || kind === 'change'
    ? formatChange(value, 0, format)
    : formatCell(value, format)
}

/** Colors known states; other cells stay plain. */
function pill(kind: TableColumn['tint'], text: string): string {
  if (kind !== 'quality' && kind !== 'state') return text
  const tone = kind === 'state' ? (STATE_TINTS[text] ?? '') : /^[a-z]+$/.test(text) ? text : ''
  return `<span class="pill ${tone}">${text}</span>`
}

function look(column: TableColumn, value: Cell, text: string): string {
  const { tint, format } = column
  const short = format === 'text' && text.length <= 24 ? 's' : ''
  const classes = [formatClass(format) || short]
  if (typeof value === 'number' && tint === 'delta') {
    const change = visibleChange(value, format)
    if (change !== 0) classes.push(change > 0 ? 'up-bad' : 'up-good')
  }
  const named = classes.filter((name) => name !== '').join(' ')
  return (named === '' ? '' : ` class="${named}"`) + shade(tint, value)
}

function shade(tint: TableColumn['tint'], value: Cell): string {
  if (typeof value !== 'number' || tint !== 'bad-share') return ''
  const strength = Math.round(Math.min(1, value / FULL_RED_SHARE) * 100) / 100
  return strength <= 0 ? '' : ` style="background:rgba(var(--share),${strength})"`
}

/** Keeps times and numbers on one line, and aligns numbers right. */
export function formatClass(format: TableColumn['format']): string {
  if (format === 'date' || format === 'instant') return 'd'
  return isNumeric(format) ? 'n' : ''
}
