import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { Cell, Table } from '../core/declare/report.ts'
import { writeInPlace } from './file-in-place.ts'
import { rowBatches } from './format-cell.ts'
import { looksLikeFormula } from './looks-like-formula.ts'

/**
 * One table as RFC 4180 text: UTF-8, CRLF, a header line of column names. Values are raw (shares 0
 * to 1, seconds, ISO days). Spreadsheets take text that begins with `=`, `+`, `-` or `@` for a
 * formula, so such text gets a leading apostrophe, phone numbers included; so does text that begins
 * with an apostrophe, so that one apostrophe less is always the value.
 */
export async function renderCsv(table: Table, path: string): Promise<void> {
  await writeInPlace(path, async (temporary) => {
    const out = createWriteStream(temporary, { mode: 0o600 })
    const done = finished(out)
    // A failed write shows where the stream is awaited; without this it would be unhandled until then.
    done.catch(() => undefined)
    try {
      out.write(`${table.columns.map(({ name }) => csvCell(name)).join(',')}\r\n`)
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

export function csvCell(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  const safe = looksLikeFormula(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
