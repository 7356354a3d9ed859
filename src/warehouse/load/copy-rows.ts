import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { from as copyFrom } from 'pg-copy-streams'
import type { Stream } from '../../core/define/stream.ts'
import type { PreparedRow } from '../../core/records/row-batch.ts'
import type { DatabaseClient } from '../connect.ts'
import { bytesOf, hashOf, loadColumns } from '../schema/table-sql.ts'

/** Inserts new rows by COPY, the fastest way. It fails as a whole if a key already exists. */
export async function copyRows(
  client: DatabaseClient,
  target: { account: string; runId: number; stream: Stream; at: string },
  rows: readonly PreparedRow[],
): Promise<void> {
  const { account, runId, stream, at } = target
  const names = ['account', ...loadColumns(stream), ...TAIL]
  const list = names.map((name) => `"${name}"`).join(', ')
  const sink = client.query(copyFrom(`copy svc."${stream.name}" (${list}) from stdin`))
  const line: Line = {
    cells: [escaped(account)],
    free: Object.values(stream.columns).map(({ pg }) => FREE_TEXT.has(pg)),
    tail: `${at}\t${at}\t${runId}\t`,
  }
  let piece = Buffer.allocUnsafe(PIECE_BYTES)
  let filled = 0
  const handOn = async (bytes: Buffer | string): Promise<void> => {
    if (!sink.write(bytes)) await Promise.race([once(sink, 'drain'), once(sink, 'error')])
  }
  // Salts are made here: with a default in the table, Postgres could not insert rows in bulk.
  const salts = randomBytes(SALT_BYTES * rows.length).toString('hex')
  for (const [number, row] of rows.entries()) {
    const salt = salts.slice(number * 2 * SALT_BYTES, (number + 1) * 2 * SALT_BYTES)
    const text = `${lineOf(row, line)}\\\\x${salt}\n`
    const most = text.length * MOST_BYTES
    if (most > PIECE_BYTES - filled) {
      await handOn(piece.subarray(0, filled))
      piece = Buffer.allocUnsafe(PIECE_BYTES)
      filled = 0
    }
    if (most > PIECE_BYTES) await handOn(text)
    else filled += piece.write(text, filled)
  }
  const finished = once(sink, 'finish')
  sink.end(piece.subarray(0, filled))
  await finished
}

interface Line {
  /** The first cell is the account. The array is reused for each row, so that only the joined line is new. */
  cells: string[]
  /** True for columns with text from the service, which must be escaped. */
  free: readonly boolean[]
  tail: string
}

function lineOf(row: PreparedRow, { cells, free, tail }: Line): string {
  const { values } = row
  let at = 1
  for (let column = 0; column < values.length; column++) {
    const text = values[column] ?? null
    cells[at++] = text !== null && free[column] === false ? text : copyText(text)
  }
  cells[at++] = copyText(row.raw)
  cells[at++] = copyText(bytesOf(row))
  cells[at++] = copyText(hashOf(row))
  cells[at] = tail
  return cells.join('\t')
}

function copyText(text: string | null): string {
  return text === null ? '\\N' : escaped(text)
}

/** Escapes backslash, tab and line ends, as COPY's text format requires. */
function escaped(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIAL_ALL, (char) => ESCAPES[char] as string) : text
}

const TAIL = ['_first_seen_at', '_changed_at', '_run_id', '_salt']
const SALT_BYTES = 16
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const SPECIAL = /[\\\t\n\r]/
const SPECIAL_ALL = /[\\\t\n\r]/g
/** Only these types contain text from the service. Values of all others are formatted here. */
const FREE_TEXT = new Set(['text', 'text[]', 'jsonb'])
const PIECE_BYTES = 256 * 1024
/** A UTF-16 unit has at most three UTF-8 bytes. */
const MOST_BYTES = 3
