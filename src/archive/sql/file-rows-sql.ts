import {
  type AliasableExpression,
  type Expression,
  expressionBuilder,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely'
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

export function parentKey({ parent }: FileSource): RawBuilder<string> {
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

/** The rows `r` whose files are not withheld, each with its parent `p`. Expired files are included. */
export function rowsToFetch(tx: Transaction, { account, source, rows, days }: RowsToFetch) {
  return tx
    .selectFrom(current(rows.stream).as('r'))
    .innerJoin(current(source.parent).as('p'), (join) =>
      join.onRef('p.account', '=', 'r.account').on(parentKey(source), '=', parentOf(rows)),
    )
    .where('r.account', '=', account)
    .where('r._deleted_at', 'is', null)
    .where(youngEnough(rows, days))
    .where(({ not }) => not(withheldBy(source)))
}

/** Whether the file `f` has not expired. A file without an expiry never expires. */
export const hasTime: RawBuilder<boolean> = sql`coalesce(f.expires_at > callsheet.clock(), true)`

export const digestHex: RawBuilder<string> = sql`encode(f.sha256, 'hex')`

/** Turns hex digests into rows with the binary column `sha256`. */
export function decoded(digests: readonly string[]) {
  const given = digests.map((digest) => ({ digest }))
  return expressionBuilder<Database>()
    .selectFrom(givenRows('given', given, { digest: 'text' }))
    .select(sql<Buffer>`decode(given.digest, 'hex')`.as('sha256'))
}

interface OfParent {
  source: FileSource
  account: string
  parent: Expression<string>
}

/** Whether a sync has found that the service deleted a parent. */
export function deletedParent(
  source: FileSource,
  account: string,
  parent: Expression<string>,
): AliasableExpression<SqlBool> {
  return hasParent({ source, account, parent }, sql`p._deleted_at is not null`)
}

/** Whether a parent's files cannot be fetched now, e.g. those of a recording in the trash. */
export function withheldParent(
  source: FileSource,
  account: string,
  parent: Expression<string>,
): Expression<SqlBool> {
  if (source.withheld === undefined) return sql`false`
  const which = sql<boolean>`p._deleted_at is null and ${withheldBy(source)}`
  return hasParent({ source, account, parent }, which)
}

/** Whether the parent has a row `p` that fulfils the condition. */
function hasParent(
  { source, account, parent }: OfParent,
  which: RawBuilder<boolean>,
): AliasableExpression<SqlBool> {
  const { exists, selectFrom } = expressionBuilder<Database>()
  return exists(
    selectFrom(current(source.parent).as('p'))
      .where('p.account', '=', account)
      .where(parentKey(source), '=', parent)
      .where(which),
  )
}

/** Whether a row `r` that stands for the file `f` fulfils the condition. */
export function hasRow({ rows }: FileSource, which: RawBuilder<boolean>): Expression<SqlBool> {
  const { exists, or, selectFrom } = expressionBuilder<FilesAsF, 'f'>()
  const each = rows.map((one) =>
    exists(
      selectFrom(current(one.stream).as('r'))
        .whereRef('r.account', '=', 'f.account')
        .where('f.parent', '=', parentOf(one))
        .where('f.item', '=', itemOf(one))
        .where(which),
    ),
  )
  return or(each)
}

// The query builder cannot express planner settings.

/**
 * Turns nested loops off in this transaction. The planner assumes that newly filled tables are empty, and
 * would scan one of them for each row of the other.
 */
export async function joinWhole(tx: Transaction): Promise<void> {
  await sql`set local enable_nestloop = off`.execute(tx)
}

/** Turns hash and merge joins off in this transaction: for a small group they would read all files. */
export async function lookUpEach(tx: Transaction): Promise<void> {
  await sql`set local enable_hashjoin = off`.execute(tx)
  await sql`set local enable_mergejoin = off`.execute(tx)
}

/**
 * Updates the planner's statistics after many files were added. Otherwise the planner reads all pending files
 * for each parent.
 */
export async function analyzeFiles(tx: Transaction): Promise<void> {
  await sql`analyze callsheet.files`.execute(tx)
}
