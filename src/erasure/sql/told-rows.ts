import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { LEDGERS } from './erasure-ledgers.ts'

/**
 * Every row of an account that may hold people's data, as JSON, table after table: what somebody must look
 * through who has digests of persons and not their names.
 */
export async function* toldRows(
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
      select to_jsonb(t) - '_hash' - '_bytes' - '_salt' - 'body' as row from ${sql.id(schema, name)} t
      where t.account = ${account}`
    for await (const { row } of cursorRows(tx, `told_${number}`, rows)) yield row
  }
}

/** Requests name whom they are about by purpose, and salts are digests. */
const OTHERS: ReadonlySet<string> = new Set(['erasure_requests', 'manifest_salts'])
