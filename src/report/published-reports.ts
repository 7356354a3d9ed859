import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../warehouse/connect.ts'
import { anyOf } from '../warehouse/schema/expressions.ts'
import type { MadeFrom } from './publish-files.ts'

/** A file of a publication, as it was placed. */
export interface RecordedFile {
  /** The absolute path. */
  path: string
  bytes: number
  sha256: string
  /** True if the file covers rows of an erased person and a decision is still open. */
  erasing?: boolean
  /** True if an erasure removed the file or is about to. A later file at the path is another one. */
  erased?: boolean
  /** The decision that a person must make about the file or a copy of it, as a sentence. */
  open?: string
}

export interface PublishedRow {
  id: number
  report: string
  params: Readonly<Record<string, unknown>>
  asked: MadeFrom
  asOfMs: number
  publishedMs: number
  files: RecordedFile[]
}

interface PublishedScope {
  account: string
  after: number
  limit: number
  /** Only publications since this instant; by default, or if infinite, all. */
  sinceMs?: number
  notIds?: readonly number[]
  notReports?: readonly string[]
}

/** Reads at most `limit` of the account's publications after the ID `after`, ordered by ID. */
export async function publishedRows(
  db: Transaction,
  { account, after, limit, sinceMs = -Infinity, notIds = [], notReports = [] }: PublishedScope,
): Promise<PublishedRow[]> {
  const rows = await db
    .selectFrom('callsheet.published_reports')
    .select(['id', 'report', 'params', 'asked', 'as_of', 'published_at', 'files'])
    .where('account', '=', account)
    .where('id', '>', after)
    .where('id', '<>', sql<number>`all(${[...notIds]}::int8[])`)
    .where('report', '<>', sql<string>`all(${[...notReports]}::text[])`)
    .$if(Number.isFinite(sinceMs), (some) =>
      some.where('published_at', '>=', new Date(sinceMs).toISOString()),
    )
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ as_of: asOf, published_at: published, ...row }) => ({
    ...(row as Pick<PublishedRow, 'id' | 'report' | 'params' | 'asked' | 'files'>),
    asOfMs: Date.parse(asOf),
    publishedMs: Date.parse(published),
  }))
}

/** Returns, by path, the last publication of any account that placed a file there. */
export async function lastAt(
  db: Transaction,
  paths: readonly string[],
): Promise<ReadonlyMap<string, { account: string; id: number }>> {
  const file = sql<RecordedFile>`jsonb_array_elements(files)`
  const rows = await db
    .selectFrom('callsheet.published_reports')
    .crossJoinLateral(file.as('f'))
    .distinctOn(PATH)
    .select([PATH.as('path'), 'account', 'id'])
    .where(PATH, '=', anyOf(paths))
    .orderBy(PATH)
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map(({ path, account, id }) => [path, { account, id }]))
}

/** Sets marks on files of a publication, by path, and new parameters if given. */
export async function markFiles(
  tx: Transaction,
  { account, id, params }: { account: string; id: number; params?: unknown },
  marks: ReadonlyMap<string, Pick<RecordedFile, 'erasing' | 'erased' | 'open'>>,
): Promise<void> {
  const changes = JSON.stringify(Object.fromEntries(marks))
  await tx
    .updateTable('callsheet.published_reports')
    .set({ files: markedFiles(sql`${changes}::jsonb`) })
    .$if(params !== undefined, (row) => row.set({ params: JSON.stringify(params) }))
    .where('account', '=', account)
    .where('id', '=', id)
    .execute()
}

/** Returns a row's files in order, with new marks instead of the old ones. */
function markedFiles(changes: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(
    select coalesce(jsonb_agg(case when ${changes} ? (${PATH})
      then (f - '{erasing,erased,open}'::text[]) || (${changes}->(${PATH})) else f end order by n), '[]')
    from jsonb_array_elements(files) with ordinality e(f, n))`
}

/** The path of a file `f`. */
const PATH = sql<string>`f->>'path'`
