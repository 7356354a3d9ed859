import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { Cell, Table } from '../../core/define/report.ts'
import { writeInPlace } from './file-in-place.ts'
import { rowBatches } from './format-cell.ts'
import { FORMULA, SIGN } from './looks-like-formula.ts'

/**
 * One table as RFC 4180 text: UTF-8 behind its mark, without which Excel takes it for another encoding, CRLF,
 * a header line of column names. Values are raw (shares 0 to 1, seconds, ISO days).
 */
export async function renderCsv(table: Table, path: string): Promise<void> {
  await writeInPlace(path, async (temporary) => {
    const out = createWriteStream(temporary, { mode: 0o600 })
    const done = finished(out)
    // A failed write shows where the stream is awaited; without this it would be unhandled until then.
    done.catch(() => undefined)
    try {
      out.write(`\ufeff${table.columns.map(({ name }) => csvCell(name)).join(',')}\r\n`)
      for await (const rows of rowBatches(table.rows))
        for (const row of rows) {
          const cells = table.columns.map((_column, at) => csvCell(row[at] ?? null))
          if (out.write(`${cells.join(',')}\r\n`)) continue
          // After an error nothing drains any more.
          if (out.errored !== null) throw out.errored
          await once(out, 'drain')
        }
      out.end()
      await done
    } catch (error) {
      out.destroy()
      throw error
    }
  })
}

/**
 * Spreadsheets take text that begins with a sign for a formula. Where another separator than the comma is
 * usual, they split a line at that one and overlook quotes in the middle of a cell. So an apostrophe guards
 * each such place: the beginning of a text, phone numbers included, and a sign behind a separator. What
 * has an apostrophe there already gets another one, so that one less is always the value.
 */
export function csvCell(value: Cell): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  return BARE.test(value) ? value : `"${value.replace(UNGUARDED, "'").replaceAll('"', '""')}"`
}

/** No separator of any locale, and nothing that makes a formula behind a number below zero. */
const BARE = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._:=/-]*$/u

/** Of locales, tables and lines; the last two are Arabic. */
const SEPARATOR = '[;,|\\t\\r\\n\\u060c\\u061b]'
/** Behind a separator an empty pair of quotes is nothing. No run of separators is read twice. */
const UNGUARDED = new RegExp(
  `^(?=${FORMULA})|(?<=${SEPARATOR})(?='*(?:(?!${SEPARATOR})["\\s\\p{Cc}\\p{Cf}])*${SIGN})`,
  'gu',
)
