import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../warehouse/connect.ts'
import { anyOf } from '../warehouse/schema/expressions.ts'

/** A file of a publication, as it was when it was put in place. */
export interface RecordedFile {
  /** Absolute. Early publications have the path as it was given, or the file's name alone. */
  path: string
  bytes: number
  sha256: string
  /** An erasure is about to remove it. */
  erasing?: boolean
  /** An erasure removed it, or found that no file of this publication is left there. */
  erased?: boolean
}

export interface PublishedRow {
  id: number
  report: string
  params: unknown
  files: RecordedFile[]
}

/** The account's publications in the order of their ids. */
export async function publishedRows(
  db: Transaction,
  { account, after, limit }: { account: string; after: number; limit: number },
): Promise<PublishedRow[]> {
  const rows = await db
    .selectFrom('callsheet.published_reports')
    .select(['id', 'report', 'params', 'files'])
    .where('account', '=', account)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, files: row.files as RecordedFile[] }))
}

/** The names of all reports that the account ever published. */
export async function publishedNames(db: Transaction, account: string): Promise<string[]> {
  const rows = await db
    .selectFrom('callsheet.published_reports')
    .select('report')
    .distinct()
    .where('account', '=', account)
    .execute()
  return rows.map(({ report }) => report)
}

/** A publication put a file with this content at this path. */
export interface Claim {
  account: string
  id: number
  path: string
  sha256: string
}

/** The claims of all accounts on these paths, without erased files, newest first. */
export async function claimsOn(db: Transaction, paths: readonly string[]): Promise<Claim[]> {
  const file = sql<RecordedFile>`jsonb_array_elements(files)`
  return await db
    .selectFrom('callsheet.published_reports')
    .crossJoinLateral(file.as('f'))
    .select(['account', 'id', PATH.as('path'), sql<string>`f->>'sha256'`.as('sha256')])
    .where(PATH, '=', anyOf(paths))
    .where(sql`f->>'erased'`, 'is', null)
    .orderBy('id', 'desc')
    .execute()
}

/** Marks files that are about to be removed, so that the next call completes an interrupted erasure. */
export async function markErasing(
  tx: Transaction,
  { id, paths }: { id: number; paths: readonly string[] },
): Promise<void> {
  await tx
    .updateTable('callsheet.published_reports')
    .set({ files: filesWhere(sql`${PATH} = ${anyOf(paths)}`, sql`f || '{"erasing": true}'`) })
    .where('id', '=', id)
    .execute()
}

export interface SettledReport {
  id: number
  params: unknown
  /** Paths where no file of this publication is left. */
  gone: readonly string[]
  /** Of these, the paths where no file of the publications in `others` is left either. */
  removed: readonly string[]
  others: readonly number[]
}

/** Records what an erasure removed, and this publication's redacted parameters. */
export async function markErased(
  tx: Transaction,
  { id, params, gone, removed, others }: SettledReport,
): Promise<void> {
  const own = sql<string>`case when id = ${id} then ${JSON.stringify(params)}::jsonb else params end`
  const isGone = sql`${PATH} = ${anyOf(removed)} or (id = ${id} and ${PATH} = ${anyOf(gone)})`
  await tx
    .updateTable('callsheet.published_reports')
    .set({
      params: own,
      files: filesWhere(isGone, sql`(f - 'erasing') || '{"erased": true}'`),
    })
    .where('id', '=', sql<number>`any(${[id, ...others]}::bigint[])`)
    .execute()
}

/** A row's files in order, with a change to those that fulfil a condition. */
function filesWhere(some: RawBuilder<unknown>, changed: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(
    select coalesce(jsonb_agg(case when ${some} then ${changed} else f end order by n), '[]')
    from jsonb_array_elements(files) with ordinality e(f, n))`
}

/** The path of a file `f`. */
const PATH = sql<string>`f->>'path'`
