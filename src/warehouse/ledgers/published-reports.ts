import { sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'

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
  const { rows } = await sql<Claim>`
    select account, id, f->>'path' as path, f->>'sha256' as sha256
    from callsheet.published_reports cross join lateral jsonb_array_elements(files) f
    where f->>'path' = any(${[...paths]}::text[]) and f->>'erased' is null
    order by id desc`.execute(db)
  return rows
}

/** Enters which files of a publication are about to be removed, so that a call cut off is completed. */
export async function markErasing(
  tx: Transaction,
  { id, paths }: { id: number; paths: readonly string[] },
): Promise<void> {
  await sql`
    update callsheet.published_reports set files = (
      select coalesce(jsonb_agg(
        case when f->>'path' = any(${[...paths]}::text[]) then f || '{"erasing": true}' else f end
        order by n), '[]')
      from jsonb_array_elements(files) with ordinality e(f, n))
    where id = ${id}`.execute(tx)
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
  await sql`
    update callsheet.published_reports p set
      params = case when id = ${id} then ${JSON.stringify(params)}::jsonb else params end,
      files = (
        select coalesce(jsonb_agg(
          case when f->>'path' = any(${[...removed]}::text[])
              or (p.id = ${id} and f->>'path' = any(${[...gone]}::text[]))
            then (f - 'erasing') || '{"erased": true}' else f end
          order by n), '[]')
        from jsonb_array_elements(p.files) with ordinality e(f, n))
    where id = any(${[id, ...others]}::bigint[])`.execute(tx)
}
