import type { Cell, Section, Table } from '../../core/define/report.ts'
import { formatCell, formatClass } from '../files/browser/format-cell.js'
import { rowBatches } from '../files/row-batches.ts'
import { escapeHtml } from './escape-html.ts'
import { inertJson, jsonElement } from './inert-json.ts'
import { cellsHtml } from './table-cells.ts'

/** The number of rows that the plain table shows while the page loads, or if its script cannot run. */
const FIRST_ROWS = 100

/** The bytes of rows that still fit into a page. A page that is too large cannot be mailed. */
export interface RowBudget {
  bytes: number
}

export const pageBudget = (): RowBudget => ({ bytes: MOST_ROW_BYTES })

/**
 * Yields a table in pieces: its first rows as HTML, then all rows (or as many as the page has room for) as
 * data for the script. Reads the rows once, while it writes them.
 */
export async function* tableHtml(
  table: Table,
  section: Section,
  budget: RowBudget,
): AsyncGenerator<string> {
  const first: (readonly Cell[])[] = []
  const lines: string[] = []
  let count = 0
  let shown = 0
  let length = 0
  let opened = false
  for await (const rows of rowBatches(table.rows))
    for (const row of rows) {
      count++
      if (shown < count - 1 || (budget.bytes <= 0 && shown >= FIRST_ROWS)) continue
      const line = inertJson(table.columns.map((_column, at) => row[at] ?? null))
      lines.push(line)
      budget.bytes -= Buffer.byteLength(line)
      length += line.length
      shown++
      if (first.length < FIRST_ROWS) first.push(row)
      if (count < FIRST_ROWS || length < FULL) continue
      yield opening() + dataHtml(lines.splice(0))
      length = 0
    }
  if (count === 0) yield emptyHtml(table, section)
  else
    yield `${opening()}${dataHtml(lines)}${moreHtml(shown, section)}</div>` +
      cutHtml(shown, count, section)

  function opening(): string {
    if (opened) return ''
    opened = true
    return firstHtml(table, section, first)
  }
}

function firstHtml(table: Table, section: Section, rows: readonly (readonly Cell[])[]): string {
  const title = escapeHtml(table.title)
  const head = table.columns.map(({ title: heading, format, tint }) => {
    const look = formatClass(format) === '' ? '' : ` class="${formatClass(format)}"`
    const kind = `data-format="${format}"${tint === undefined ? '' : ` data-tint="${tint}"`}`
    return `<th scope="col"${look} ${kind}>${escapeHtml(heading)}</th>`
  })
  const body = rows.map((row) => `<tr>${cellsHtml(table.columns, row)}</tr>`)
  return (
    `<div class="table"><div class="bar">${headingHtml(table, section)}</div>` +
    `<div class="scroll" tabindex="0" role="group" aria-label="${title}">` +
    `<table><caption>${title}</caption><thead><tr>${head.join('')}</tr></thead>\n` +
    `<tbody>${body.join('\n')}</tbody></table></div>\n`
  )
}

/** Returns the table's heading; empty if it equals the section's. */
function headingHtml({ title }: Table, section: Section): string {
  return title === section.title ? '' : `<h3>${escapeHtml(title)}</h3>`
}

function emptyHtml(table: Table, section: Section): string {
  const text = escapeHtml(table.empty ?? 'None.')
  return `<div>${headingHtml(table, section)}<p class="none">${text}</p></div>`
}

function dataHtml(lines: readonly string[]): string {
  return lines.length === 0 ? '' : jsonElement(`[${lines.join(',\n')}]`)
}

function moreHtml(count: number, section: Section): string {
  if (count <= FIRST_ROWS) return ''
  const more = formatCell(count - FIRST_ROWS, 'integer')
  const where = `with scripts allowed this page shows them, and they are in the workbook, sheet`
  const said = `The first ${FIRST_ROWS} rows. There are ${more} more: ${where}`
  return `<noscript><p class="none">${said} “${escapeHtml(section.title)}”.</p></noscript>`
}

function cutHtml(shown: number, count: number, section: Section): string {
  if (shown === count) return ''
  const [some, all] = [formatCell(shown, 'integer'), formatCell(count, 'integer')]
  const text =
    `This page has only the first ${some} of ${all} rows, because it would be too large to mail. Search ` +
    `and filters do not see the others. For all rows, create the report as xlsx, csv or parquet (sheet ` +
    `“${section.title}”).`
  return `<p class="note warning">${escapeHtml(text)}</p>`
}

/** The maximum bytes of rows in a page. Page and workbook must fit into one mail, with 20 MiB of files. */
const MOST_ROW_BYTES = 10 * 2 ** 20
/** The characters of rows after which an element ends, because browsers parse each element at once. */
const FULL = 2 ** 16
