import type { Figures, Note } from '../../core/define/report.ts'
import { formatCell, formatChange, visibleChange } from '../files/format-cell.ts'
import { escapeHtml } from './escape-html.ts'

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

function mood({ value, before, format, better }: Figures['figures'][number]): string {
  if (typeof value !== 'number' || typeof before !== 'number') return 'same'
  const change = visibleChange(value - before, format)
  if (change === 0 || better === undefined) return 'same'
  return change > 0 === (better === 'higher') ? 'up-good' : 'up-bad'
}
