import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import type { Relation } from '../../core/define/stream-row.ts'
import type { LocalFile } from '../../store/lake-place.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { cursorRows } from '../../warehouse/cursor.ts'
import { writeParquet } from '../files/parquet-file.ts'
import { digestOf } from '../put-in-place.ts'
import { chosen, columnsOf, type ExportedRow, parquetColumn } from '../write-table.ts'
import type { ManifestEntry } from './manifests.ts'
import { elementId, type LakeSchema, lakeColumns } from './metadata.ts'

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

type Days = readonly LakeDay['day'][]

/** The column whose day partitions a table: the time of its windows, or when the row was first seen. */
export function dayColumnOf({ sync }: Stream): string {
  return sync.kind === 'windows' ? sync.cursor : '_first_seen_at'
}

/** A digest of the columns that are exported. */
export function columnsDigest(stream: Stream): string {
  return digest(lakeColumns(stream).map(({ name, pg }) => `${name} ${pg}`))
}

/**
 * Compares the rows of these days, or of all days, with a lake's files of them. Returns the days whose rows
 * are in no file, and the files that have other rows.
 */
export async function compareDays(
  { tx, stream, rows }: Omit<LakeSource, 'account'>,
  files: readonly ManifestEntry[],
  days?: Days,
): Promise<{ changed: LakeDay[]; gone: ReadonlySet<ManifestEntry> }> {
  const sumOf = (from: number) =>
    sql`sum(('x' || encode(substring(hash from ${from}::int for 8), 'hex'))::bit(64)::bigint)::text`
  const { rows: found } = await sql<{ day: number | null; rows: number; sums: string[] }>`
    select r.day_number as day, count(*) as rows, array[${sumOf(1)}, ${sumOf(9)}] as sums
    from (select ${chosen(columnsOf(stream))}, ${dayOf(stream)} as day_number from ${rows} x
      where ${isOf(stream, days)}) r
    cross join lateral (select sha256(convert_to(r::text, 'UTF8')) as hash offset 0) h
    group by r.day_number order by r.day_number`.execute(tx)
  const columns = columnsDigest(stream)
  const present = found.map(({ sums, ...one }) => {
    return { ...one, digest: digest([columns, String(one.rows), ...sums]) }
  })
  const compared = files.filter((one) => days?.includes(one.data_file.partition.day) ?? true)
  const left = new Map(compared.map((one) => [rowsDigest(one), one]))
  return {
    changed: present.filter((one) => !left.delete(one.digest)),
    gone: new Set(left.values()),
  }
}

/** The digest of a data file's rows, with which its name begins. */
export function rowsDigest({ data_file: { file_path: path } }: ManifestEntry): string {
  return path.slice(path.lastIndexOf('/') + 1).split('-')[0] ?? ''
}

/** Writes one Parquet file for each of these days, in one pass over the rows. */
export async function stageDays(
  { tx, account, stream, rows }: LakeSource,
  days: readonly LakeDay[],
  { folder, schema }: { folder: string; schema: LakeSchema },
): Promise<StagedDay[]> {
  const wanted = new Map(days.map((one) => [one.day, one]))
  const key = sql.join(stream.key.map((name) => sql.id('x', name)))
  const query = sql<ExportedRow & { day_number: number | null }>`
    select ${account}::text as account, ${chosen(columnsOf(stream))}, ${dayOf(stream)} as day_number
    from ${rows} x where ${isOf(stream, [...wanted.keys()])} order by day_number, ${key}`
  const columns = lakeColumns(stream).map((column, at) => {
    const field = schema.fields[at]?.id ?? 0
    return { ...parquetColumn(column), ids: { field, element: elementId(field) } }
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

/** Returns a condition for rows of these days. Its time ranges can use the index that large tables have. */
function isOf(stream: Stream, days: Days | undefined): RawBuilder<unknown> {
  if (days === undefined) return sql`true`
  const column = sql.id('x', dayColumnOf(stream))
  const start = (day: number) =>
    sql`((date '1970-01-01' + ${day}::int)::timestamp at time zone 'UTC')`
  const numbers = days.flatMap((day) => day ?? []).toSorted((a, b) => a - b)
  const firsts = numbers.filter((day, at) => day - 1 !== numbers[at - 1])
  const lasts = numbers.filter((day, at) => day + 1 !== numbers[at + 1])
  const ranges = firsts.map((first, at) => {
    const end = (lasts[at] ?? first) + 1
    return sql`(${column} >= ${start(first)} and ${column} < ${start(end)})`
  })
  if (days.includes(null)) ranges.push(sql`${column} is null`)
  return ranges.length === 0 ? sql`false` : sql`(${sql.join(ranges, sql` or `)})`
}

function digest(facts: readonly string[]): string {
  return createHash('sha256').update(facts.join(' ')).digest('hex').slice(0, DIGEST_DIGITS)
}

const DIGEST_DIGITS = 32
