import { once } from 'node:events'
import { from as copyFrom } from 'pg-copy-streams'
import type { PreparedRow } from '../core/load.ts'
import type { Stream } from '../core/stream.ts'
import type { Client } from './connect.ts'
import { bytesOf, hashOf, loadColumns } from './table-sql.ts'

/**
 * Sends new rows by COPY: the fastest way in, and it fails as a whole when one of the keys is held already.
 */
export async function copyRows(
  client: Client,
  target: { account: string; runId: number; stream: Stream; at: string },
  rows: readonly PreparedRow[],
): Promise<void> {
  const { account, runId, stream, at } = target
  const names = ['account', ...loadColumns(stream), '_first_seen_at', '_changed_at', '_run_id']
  const list = names.map((name) => `"${name}"`).join(', ')
  const sink = client.query(copyFrom(`copy svc."${stream.name}" (${list}) from stdin`))
  const head = `${escaped(account)}\t`
  const tail = `${at}\t${at}\t${runId}\n`
  const free = Object.values(stream.columns).map(({ pg }) => FREE_TEXT.has(pg))
  let chunk = ''
  for (const row of rows) {
    chunk += head
    for (let column = 0; column < row.values.length; column++) {
      const text = row.values[column] ?? null
      chunk += `${text !== null && free[column] === false ? text : copyText(text)}\t`
    }
    chunk += `${copyText(row.raw)}\t${copyText(bytesOf(row))}\t${copyText(hashOf(row))}\t${tail}`
    if (chunk.length > CHUNK_CHARS) {
      if (!sink.write(chunk)) await Promise.race([once(sink, 'drain'), once(sink, 'error')])
      chunk = ''
    }
  }
  const finished = once(sink, 'finish')
  sink.end(chunk)
  await finished
}

function copyText(text: string | null): string {
  return text === null ? '\\N' : escaped(text)
}

/** COPY's text format: backslash, tab and line ends are escaped; everything else is itself. */
function escaped(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIAL_ALL, (char) => ESCAPES[char] as string) : text
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const SPECIAL = /[\\\t\n\r]/
const SPECIAL_ALL = /[\\\t\n\r]/g
/** Only these hold what came from outside; the texts of all others are of our own making. */
const FREE_TEXT = new Set(['text', 'text[]', 'jsonb'])
const CHUNK_CHARS = 256 * 1024
