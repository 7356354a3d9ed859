import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'
import { anyOf } from '../connection/expressions.ts'

/** A file of a publication, as it was when it was put in place. */
export interface RecordedFile {
  /** Absolute; of early publications as it was given, or the name alone. */
  path: string
  bytes: number
  sha256: string
  /** An erasure is about to remove it. */
  erasing?: boolean
  /** An erasure removed it, or found that nothing of this publication is there any more. */
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

/** Which reports the account ever published. */
export async function publishedNames(db: Transaction, account: string): Promise<string[]> {
  const rows = await db
    .selectFrom('callsheet.published_reports')
    .select('report')
    .distinct()
    .where('account', '=', account)
    .execute()
  return rows.map(({ report }) => report)
}

/** Says that a publication put a content in a place. */
export interface Claim {
  account: string
  id: number
  path: string
  sha256: string
}

/** Who, of any account, put what in these places and was not erased from there. The last one first. */
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

/** Enters which files of a publication are about to be removed, so that a call cut off is completed. */
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

export interface Settled {
  id: number
  params: unknown
  /** Paths at which nothing of this publication is left. */
  gone: readonly string[]
  /** Those of them at which nothing is left of these other publications either. */
  removed: readonly string[]
  others: readonly number[]
}

/** Enters what an erasure has removed, with this publication's parameters as they may stay. */
export async function markErased(
  tx: Transaction,
  { id, params, gone, removed, others }: Settled,
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

/** A row's files in their order, some of them changed. */
function filesWhere(some: RawBuilder<unknown>, changed: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(
    select coalesce(jsonb_agg(case when ${some} then ${changed} else f end order by n), '[]')
    from jsonb_array_elements(files) with ordinality e(f, n))`
}

/** Of a file `f`. */
const PATH = sql<string>`f->>'path'`
