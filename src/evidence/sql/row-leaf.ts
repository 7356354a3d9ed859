import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import { keyTexts, tableOf } from '../../warehouse/schema/table-sql.ts'
import type { OfStream, RowSchema } from './audited-records.ts'

/**
 * A query for the key and the leaf of each row in a stream's table. A leaf is the hash that the database
 * records in `callsheet.written`: of the whole row with its salt, in the server's wire format, without the
 * column count and without trailing nulls. It is computed here again, so that a verifier need not trust any
 * function of the database.
 */
export function rowLeaves({
  account,
  stream,
  where,
}: OfStream & { where: RowSchema }): RawBuilder<{ leaf: Buffer; key: string[] }> {
  return sql`(
    select key, sha256(substring(sent from 5 for length(sent) - 4 - coalesce((
      select max(n) from generate_series(8, length(nulls), 8) n
      where substring(sent from length(sent) - n + 1) = substring(nulls from length(nulls) - n + 1)
    ), 0))) as leaf
    from (select ${keyTexts(stream, 'r')} as key, record_send(r) as sent
      from ${tableOf(where, stream)} r where r.account = ${account} offset 0) r
    cross join (${nullsOf(where, stream)}) n)`
}

/** The wire format of the columns after the last `not null` column, each with a null value. */
function nullsOf(where: RowSchema, stream: Stream): RawBuilder<unknown> {
  const columns = sql`pg_attribute where attrelid = ${`${where}.${stream.name}`}::regclass`
  return sql`
    select coalesce(string_agg(oidsend(atttypid) || '\\xffffffff', '' order by attnum), '') as nulls
    from ${columns} and not attisdropped
      and attnum > (select max(attnum) from ${columns} and attnotnull)`
}
