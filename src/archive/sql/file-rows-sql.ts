import { expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { FileRows, FileSource } from '../../core/define/file-source.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { givenRows } from '../../warehouse/given-rows.ts'
import { current } from '../../warehouse/schema/table-sql.ts'
import type { Database } from '../../warehouse/schema/types.ts'

// In these queries `f` is a file, `r` a row that stands for a file, and `p` the parent.

/** The tables that an expression on a file `f` may name. */
export interface FilesAsF extends Database {
  f: Database['callsheet.files']
}

export function parentOf({ stream }: FileRows): RawBuilder<string> {
  return sql.id('r', stream.key[0] as string)
}

/** The SQL form of `fileItem`. */
export function itemOf({ item, ordinal }: FileRows): RawBuilder<string> {
  const id = sql.id<string>('r', item)
  if (ordinal === undefined) return id
  const at = sql.id('r', ordinal)
  return sql`(${id} || case when ${at} = 0 then '' else '#' || ${at} end)`
}

export function keyOf({ parent }: FileSource): RawBuilder<string> {
  return sql.id('p', parent.key[0] as string)
}

export function expiryOf({ expiresAt }: FileSource): RawBuilder<string | null> {
  return expiresAt === undefined ? sql`null::timestamptz` : sql.id('p', expiresAt)
}

export function withheldBy({ withheld }: FileSource): RawBuilder<boolean> {
  return withheld === undefined ? sql`false` : sql`coalesce(${sql.id('p', withheld)}, false)`
}

function youngEnough({ since }: FileRows, days: number | undefined): RawBuilder<boolean> {
  if (since === undefined || days === undefined) return sql`true`
  return sql`${sql.id('r', since)} > callsheet.clock() - make_interval(days => ${days})`
}

export interface RowsToFetch {
  account: string
  source: FileSource
  rows: FileRows
  /** Only rows of at most this age. */
  days: number | undefined
}

/** The rows whose files can be fetched, each with its parent. */
export function rowsToFetch(tx: Transaction, { account, source, rows, days }: RowsToFetch) {
  return tx
    .selectFrom(current(rows.stream).as('r'))
    .innerJoin(current(source.parent).as('p'), (join) =>
      join.onRef('p.account', '=', 'r.account').on(keyOf(source), '=', parentOf(rows)),
    )
    .where('r.account', '=', account)
    .where('r._deleted_at', 'is', null)
    .where(youngEnough(rows, days))
    .where(({ not }) => not(withheldBy(source)))
}

/** Whether a file has not expired. One without an expiry never does. */
export const hasTime: RawBuilder<boolean> = sql`coalesce(f.expires_at > callsheet.clock(), true)`

export const digestOf: RawBuilder<string> = sql`encode(f.sha256, 'hex')`

/** Digests in hex as rows of `sha256`. */
export function decoded(digests: readonly string[]) {
  const given = digests.map((digest) => ({ digest }))
  return expressionBuilder<Database>()
    .selectFrom(givenRows('given', given, { digest: 'text' }))
    .select(sql<Buffer>`decode(given.digest, 'hex')`.as('sha256'))
}
