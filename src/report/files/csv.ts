import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { Cell, Table } from '../../core/define/report.ts'
import { FORMULA, SIGN } from './looks-like-formula.ts'
import { rowBatches } from './row-batches.ts'

/**
 * Writes one table as RFC 4180 text: CRLF, a header line of column names, and UTF-8 with a byte order mark,
 * without which Excel assumes another encoding. Values are raw (shares 0 to 1, seconds, ISO days).
 */
export async function renderCsv(table: Table, path: string): Promise<void> {
  const out = createWriteStream(path, { mode: 0o600 })
  const done = finished(out)
  // A failed write is reported where `done` is awaited. Until then the rejection would be unhandled.
  done.catch(() => undefined)
  try {
    out.write(`\ufeff${table.columns.map(({ name }) => csvCell(name)).join(',')}\r\n`)
    for await (const rows of rowBatches(table.rows))
      for (const row of rows) {
        const cells = table.columns.map((_column, at) => csvCell(row[at] ?? null))
        if (out.write(`${cells.join(',')}\r\n`)) continue
        // After an error, the stream emits no drain event.
        if (out.errored !== null) throw out.errored
        await once(out, 'drain')
      }
    out.end()
    await done
  } catch (error) {
    out.destroy()
    throw error
  }
}

/**
 * Puts an apostrophe before each place that a spreadsheet could read as a formula: the beginning of a text
 * (phone numbers included), and a sign after a separator, because in some locales spreadsheets split a line
 * at that separator and ignore quotes in the middle of a cell. Doubles an apostrophe that is already at such
 * a place, so removing one always restores the value.
 */
export function csvCell(value: Cell): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  return BARE.test(value) ? value : `"${value.replace(UNGUARDED, "'").replaceAll('"', '""')}"`
}

/** Matches text that needs neither quotes nor an apostrophe: it has no separator and begins with no sign. */
const BARE = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._:=/-]*$/u

/** Separators of locales, tables and lines; the last two are Arabic. */
const SEPARATOR = '[;,|\\t\\r\\n\\u060c\\u061b]'
/** Matches where an apostrophe must be inserted. Scans no run of separators twice. */
const UNGUARDED = new RegExp(
  `^(?=${FORMULA})|(?<=${SEPARATOR})(?='*(?:(?!${SEPARATOR})["\\s\\p{Cc}\\p{Cf}])*${SIGN})`,
  'gu',
)
