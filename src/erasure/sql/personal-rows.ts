import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { LEDGERS } from './erasure-ledgers.ts'

/**
 * Yields every row of an account that may contain people's data, as JSON without the stored bytes, table by
 * table, for a search by digests instead of names.
 */
export async function* personalRows(
  tx: Transaction,
  account: string,
  streams: readonly Stream[],
): AsyncGenerator {
  const tables = [
    ...streams.flatMap(({ name }) => [
      ['svc', name],
      ['history', name],
    ]),
    ...Object.entries(LEDGERS).flatMap(([name, treatment]) =>
      'none' in treatment || OTHERS.has(name) ? [] : [['callsheet', name]],
    ),
  ]
  for (const [number, [schema = '', name = '']] of tables.entries()) {
    const rows = sql<{ row: unknown }>`
      select to_jsonb(t) - '{_hash,_bytes,_salt,body,line}'::text[] as row from ${sql.id(schema, name)} t
      where t.account = ${account}`
    for await (const { row } of cursorRows(tx, `told_${number}`, rows)) yield row
  }
}

/** Excludes erasure requests, which name their person on purpose. */
const OTHERS: ReadonlySet<string> = new Set(['erasure_requests'])
