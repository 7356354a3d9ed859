import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Relation } from '../../core/define/stream-row.ts'
import type { LocalFile } from '../../store/lake-place.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { writeParquet } from '../files/parquet-file.ts'
import { digestOf } from '../put-in-place.ts'
import { chosen, columnsOf, type ExportedRow, parquetColumn } from '../write-table.ts'
import { type LakeSchema, lakeColumns } from './metadata.ts'

export interface LakeSource {
  tx: Transaction
  account: string
  stream: Stream
  rows: Relation<unknown>
}

/** The rows of one UTC day. */
export interface LakeDay {
  /** Days since 1970; null for rows without a time. */
  day: number | null
  rows: number
  /** Identifies the content: equal rows have equal digests, in any order. */
  digest: string
}

export interface StagedDay extends LakeDay, LocalFile {}

/** The column whose day partitions a table: the time of its windows, or when the row was first seen. */
export function dayColumnOf({ sync }: Stream): string {
  return sync.kind === 'windows' ? sync.cursor : '_first_seen_at'
}

/**
 * Reads which days a table has, with a digest of each day's rows. Comparing content finds every change, also
 * those that no run made: an erasure, a restored database, a new column.
 */
export async function readDays({ tx, stream, rows }: LakeSource): Promise<LakeDay[]> {
  const columns = columnsOf(stream)
  const sumOf = (seed: number) => sql`sum(hashtextextended(r::text, ${seed}::bigint))::text`
  const { rows: days } = await sql<{ day: number | null; rows: number; sums: string }>`
    select r.day_number as day, count(*) as rows, ${sumOf(0)} || ' ' || ${sumOf(1)} as sums
    from (select ${chosen(columns)}, ${dayOf(stream)} as day_number from ${rows} x) r
    group by r.day_number order by r.day_number`.execute(tx)
  const names = columns.map(({ name, pg }) => `${name} ${pg}`).join()
  return days.map(({ day, rows: count, sums }) => {
    const digest = createHash('sha256').update(`${names} ${count} ${sums}`).digest('hex')
    return { day, rows: count, digest: digest.slice(0, DIGEST_DIGITS) }
  })
}

/** Writes the rows of these days as one Parquet file for each day, in one pass over the table. */
export async function stageDays(
  { tx, account, stream, rows }: LakeSource,
  days: readonly LakeDay[],
  { folder, schema }: { folder: string; schema: LakeSchema },
): Promise<StagedDay[]> {
  if (days.length === 0) return []
  const wanted = new Map(days.map((one) => [one.day, one]))
  const numbers = days.flatMap(({ day }) => day ?? [])
  const key = sql.join(stream.key.map((name) => sql.id('x', name)))
  const query = sql<ExportedRow & { day_number: number | null }>`
    select ${account}::text as account, ${chosen(columnsOf(stream))}, ${dayOf(stream)} as day_number
    from ${rows} x
    where ${dayOf(stream)} = any(${numbers}::int[]) or (${dayOf(stream)} is null and ${wanted.has(null)})
    order by day_number, ${key}`
  const columns = lakeColumns(stream).map((column, at) => {
    const { id = 0, type } = schema.fields[at] ?? {}
    const element = typeof type === 'object' ? type['element-id'] : undefined
    return { ...parquetColumn(column), ids: { field: id, element } }
  })
  const read = cursorRows(tx, 'rows of a lake', query)
  const staged: StagedDay[] = []
  let next = await read.next()
  async function* rowsOf(day: number | null): AsyncGenerator<ExportedRow[]> {
    for (; next.done !== true && next.value.day_number === day; next = await read.next())
      yield [next.value]
  }
  while (next.done !== true) {
    const { day_number: day } = next.value
    const path = join(folder, `${day ?? 'none'}.parquet`)
    await writeParquet(path, { columns, metadata: {}, batches: rowsOf(day) })
    const one = wanted.get(day)
    if (one !== undefined) staged.push({ ...one, path, ...(await digestOf(path)) })
  }
  return staged
}

function dayOf(stream: Stream) {
  return sql`((x.${sql.id(dayColumnOf(stream))} at time zone 'UTC')::date - date '1970-01-01')`
}

const DIGEST_DIGITS = 32
