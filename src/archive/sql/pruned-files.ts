import { type Expression, expressionBuilder, type SqlBool } from 'kysely'
import { fileSubject } from '../../evidence/sql/evidence-files.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { contentStays } from './content-stays.ts'
import { decoded, digestOf, type FilesAsF } from './file-rows-sql.ts'

/** A content whose files are recorded as removed and whose bytes may still be in the store. */
export interface UnfinishedRemoval {
  sha256: string
  size: number
  files: number
  /** Whether the manifest has an entry for the removal of each of its files. */
  entered: boolean
}

/** The next such contents, without those that a hold or a stored file keeps. */
export async function unfinishedRemovals(
  db: Transaction,
  account: string,
  { after, limit }: { after: string; limit: number },
): Promise<UnfinishedRemoval[]> {
  return await db
    .selectFrom('callsheet.files as f')
    .select(({ fn }) => [
      digestOf.as('sha256'),
      fn.max('f.size').$notNull().as('size'),
      fn.countAll<number>().as('files'),
      fn<boolean>('bool_and', ['f.entered']).as('entered'),
    ])
    .where(unfinished(account))
    .where('f.sha256', '>', Buffer.from(after, 'hex'))
    .groupBy('f.sha256')
    .orderBy('f.sha256')
    .limit(limit)
    .execute()
}

export async function countUnfinished(db: Transaction, account: string): Promise<number> {
  const { contents } = await db
    .selectFrom('callsheet.files as f')
    .select(({ fn }) => fn.count<number>('f.sha256').distinct().as('contents'))
    .where(unfinished(account))
    .executeTakeFirstOrThrow()
  return contents
}

/** Files that the ledger records as removed and the manifest does not. */
export interface UnprovenRemovals {
  files: number
  /** The subject of one of them. */
  first: string | null
}

export async function unprovenRemovals(
  db: Transaction,
  account: string,
): Promise<UnprovenRemovals> {
  return await db
    .selectFrom('callsheet.files as f')
    .select(({ fn }) => [
      fn.countAll<number>().as('files'),
      fn.min<string | null>(fileSubject).as('first'),
    ])
    .where(unfinished(account))
    .where('f.entered', '=', false)
    .executeTakeFirstOrThrow()
}

/** Records that the bytes of these contents are deleted. */
export async function finishRemovals(
  tx: Transaction,
  account: string,
  contents: readonly string[],
): Promise<void> {
  await tx
    .updateTable('callsheet.files')
    .set({ bytes_gone_at: now })
    .where('account', '=', account)
    .where('state', '=', 'removed')
    .where('bytes_gone_at', 'is', null)
    .where('sha256', 'in', decoded(contents))
    .execute()
}

function unfinished(account: string): Expression<SqlBool> {
  const { and, eb, not } = expressionBuilder<FilesAsF, 'f'>()
  return and([
    eb('f.account', '=', account),
    eb('f.state', '=', 'removed'),
    eb('f.bytes_gone_at', 'is', null),
    not(contentStays({ account })),
  ])
}
