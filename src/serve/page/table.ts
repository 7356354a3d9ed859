import { html } from 'hono/html'
import { count } from '../../core/values/quantities.ts'
import type { Html } from './layout.ts'

export interface PageColumn {
  title: string
  /** Whether the column is aligned right. */
  numeric?: true
}

/** Numbers are shown with thousands separators. */
export type PageCell = Html | string | number

/** Makes a table that scrolls horizontally on narrow screens. The first cell of a row is its header. */
export function table(
  caption: string,
  columns: readonly PageColumn[],
  rows: readonly (readonly PageCell[])[],
): Html {
  const classOf = (at: number): string => (columns[at]?.numeric === true ? 'n' : 't')
  const cell = (value: PageCell, at: number): Html => {
    const shown = typeof value === 'number' ? count(value) : value
    return at === 0
      ? html`<th scope="row" class="${classOf(at)}">${shown}</th>`
      : html`<td class="${classOf(at)}">${shown}</td>`
  }
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table>
<caption><span>${caption}</span></caption>
<thead><tr>${columns.map(
    ({ title }, at) => html`<th scope="col" class="${classOf(at)}">${title}</th>`,
  )}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</tbody>
</table></div>
`
}

export function facts(entries: readonly (readonly [string, PageCell])[]): Html {
  return html`<dl class="facts">${entries.map(
    ([name, value]) =>
      html`<div><dt>${name}</dt><dd>${typeof value === 'number' ? count(value) : value}</dd></div>`,
  )}</dl>
`
}
