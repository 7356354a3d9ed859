import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'
import { contentStays } from './content-stays.ts'
import { fileSubject } from './evidence-files.ts'

/** A content that was entered as removed and may still lie in the store. */
export interface UnfinishedRemoval {
  sha256: string
  size: number
  files: number
  /** Whether the manifest tells of the removal of each of its files. */
  entered: boolean
}

/** The next contents of that kind; not what a hold or a file keeps. */
export async function unfinishedRemovals(
  db: Transaction,
  account: string,
  { after, limit }: { after: string; limit: number },
): Promise<UnfinishedRemoval[]> {
  const { rows } = await sql<UnfinishedRemoval>`
    select encode(f.sha256, 'hex') as sha256, max(f.size)::bigint as size, count(*)::int as files,
      bool_and(f.entered) as entered ${unfinished(account)}
      and f.sha256 > decode(${after}, 'hex')
    group by f.sha256 order by f.sha256 limit ${limit}`.execute(db)
  return rows
}

export async function countUnfinished(db: Transaction, account: string): Promise<number> {
  const { rows } = await sql<{ contents: number }>`
    select count(distinct f.sha256)::int as contents ${unfinished(account)}`.execute(db)
  return rows[0]?.contents ?? 0
}

/** Files that are entered as removed in the ledger alone. */
export interface UnprovenRemovals {
  files: number
  /** One of them, as the manifest would call it. */
  first: string | null
}

export async function unprovenRemovals(
  db: Transaction,
  account: string,
): Promise<UnprovenRemovals> {
  const { rows } = await sql<UnprovenRemovals>`
    select count(*)::int as files, min(${fileSubject}) as first ${unfinished(account)}
      and not f.entered`.execute(db)
  return rows[0] ?? { files: 0, first: null }
}

/** Enters that the bytes are gone. */
export async function finishRemovals(
  tx: Transaction,
  account: string,
  contents: readonly string[],
): Promise<void> {
  await sql`update callsheet.files set bytes_gone_at = callsheet.clock()
    where account = ${account} and state = 'removed' and bytes_gone_at is null
      and sha256 in (${listed(contents)})`.execute(tx)
}

/** Digests in hex as rows. */
export function listed(contents: readonly string[]): RawBuilder<unknown> {
  return sql`select decode(digest, 'hex') as sha256 from unnest(${[...contents]}::text[]) as digest`
}

function unfinished(account: string): RawBuilder<unknown> {
  return sql`from callsheet.files f
    where f.account = ${account} and f.state = 'removed' and f.bytes_gone_at is null
      and not ${contentStays({ account })}`
}
