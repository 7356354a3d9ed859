import type { Cell, Figures, Note, Section, Table, TableColumn } from '../../core/declare/report.ts'
import { firstRows, formatCell, formatChange, isNumeric, visibleChange } from '../format-cell.ts'
import { FULL_RED_SHARE, RED, STATE_TINTS } from '../palette.ts'
import { escapeHtml } from './escape-html.ts'

/** A page is read, not searched: what is longer stands whole in the workbook. */
const MOST_ROWS = 100

export function noteHtml({ text, tone }: Note): string {
  return `<p class="note ${tone}"${tone === 'bad' ? ' role="alert"' : ''}>${escapeHtml(text)}</p>`
}

export function figuresHtml({ title, figures, beforeLabel = 'before' }: Figures): string {
  const plain = figures.every(({ before, format }) => before === undefined && format === 'text')
  const items = figures.map((figure) => {
    const { label, value, format, before } = figure
    const long = typeof value === 'string' && value.length > 14 ? ' class="long"' : ''
    const compared =
      before === undefined
        ? ''
        : `<dd class="before"><span class="${mood(figure)}">${formatChange(value, before, format)}</span> ` +
          `${escapeHtml(beforeLabel)}: ${escapeHtml(formatCell(before, format)) || '–'}</dd>`
    const shown = escapeHtml(formatCell(value, format)) || '–'
    return `<div><dt>${escapeHtml(label)}</dt><dd${long}>${shown}</dd>${compared}</div>`
  })
  const list = `<dl class="${plain ? 'facts' : 'figures'}">${items.join('')}</dl>`
  return `<div><h3>${escapeHtml(title)}</h3>${list}</div>`
}

export async function tableHtml(table: Table, section: Section): Promise<string> {
  const rows = await firstRows(table.rows, MOST_ROWS + 1)
  const own = table.title === section.title ? ' class="unseen"' : ''
  const caption = `<caption${own}>${escapeHtml(table.title)}</caption>`
  if (rows.length === 0) {
    const heading = own === '' ? `<h3>${escapeHtml(table.title)}</h3>` : ''
    return `<div>${heading}<p class="none">${escapeHtml(table.empty ?? 'None.')}</p></div>`
  }
  const head = table.columns.map(
    ({ title, format }) => `<th scope="col"${formatClass(format)}>${escapeHtml(title)}</th>`,
  )
  const body = rows.slice(0, MOST_ROWS).map((row) => `<tr>${cells(table.columns, row)}</tr>`)
  const where = `all of them are in the workbook, sheet “${escapeHtml(section.title)}”`
  const more =
    rows.length > MOST_ROWS ? `<p class="none">The first ${MOST_ROWS} rows; ${where}.</p>` : ''
  return (
    `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(table.title)}">` +
    `<table>${caption}` +
    `<thead><tr>${head.join('')}</tr></thead>\n<tbody>${body.join('\n')}</tbody></table></div>${more}`
  )
}

function cells(columns: readonly TableColumn[], row: readonly Cell[]): string {
  return columns
    .map((column, index) => {
      const value = row[index] ?? null
      const text = escapeHtml(cellText(column, value))
      const short = column.format === 'text' && text.length <= 24 ? ' class="s"' : ''
      const shown = text === '' ? '' : pill(column.tint, text)
      const tag = index === 0 ? 'th' : 'td'
      const scope = index === 0 ? ' scope="row"' : ''
      const look = `${formatClass(column.format) || short}${tint(column, value)}`
      return `<${tag}${scope}${look}>${shown}</${tag}>`
    })
    .join('')
}

/** A change shows its sign; one of shares is in percentage points. */
function cellText({ tint: kind, format }: TableColumn, value: Cell): string {
  return kind === 'delta' || kind === 'change'
    ? formatChange(value, 0, format)
    : formatCell(value, format)
}

/** A word with the colour of its meaning; any other cell as it is. */
function pill(kind: TableColumn['tint'], text: string): string {
  if (kind !== 'quality' && kind !== 'state') return text
  const tone = kind === 'state' ? (STATE_TINTS[text] ?? '') : /^[a-z]+$/.test(text) ? text : ''
  return `<span class="pill ${tone}">${text}</span>`
}

function tint({ tint: kind, format }: TableColumn, value: Cell): string {
  if (typeof value !== 'number' || (kind !== 'delta' && kind !== 'bad-share')) return ''
  if (kind === 'delta') {
    const change = visibleChange(value, format)
    const colour = change > 0 ? 'var(--bad)' : change < 0 ? 'var(--good)' : 'inherit'
    return ` style="color:${colour}"`
  }
  const strength = Math.round(Math.min(1, value / FULL_RED_SHARE) * 100) / 100
  const [r, g, b] = [0, 2, 4].map((at) => Number.parseInt(RED.slice(at, at + 2), 16))
  return strength <= 0 ? '' : ` style="background:rgba(${r},${g},${b},${strength})"`
}

function mood({ value, before, format, better }: Figures['figures'][number]): string {
  if (typeof value !== 'number' || typeof before !== 'number') return 'same'
  const change = visibleChange(value - before, format)
  if (change === 0 || better === undefined) return 'same'
  return change > 0 === (better === 'higher') ? 'up-good' : 'up-bad'
}

function formatClass(format: TableColumn['format']): string {
  if (format === 'date' || format === 'instant') return ' class="d"'
  return isNumeric(format) ? ' class="n"' : ''
}
