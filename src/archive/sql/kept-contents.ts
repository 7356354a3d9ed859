import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { fileSubject } from '../../evidence/sql/evidence-files.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { decoded, digestHex, type FilesAsF } from './file-rows-sql.ts'
import { contentStays } from './holds.ts'

/** A content whose bytes may be in the store: of a stored file, or of removed files only. */
export interface KeptContent {
  sha256: Buffer
  size: number
  stored: boolean
}

/**
 * The next contents after a digest, in order of digests: of stored files, and of files recorded as removed
 * whose bytes may remain, for example because of a hold, the store's lock or an interrupted prune.
 */
export async function keptContents(
  tx: Transaction,
  account: string,
  { after, limit }: { after: Buffer; limit: number },
): Promise<KeptContent[]> {
  return await tx
    .selectFrom('callsheet.files as f')
    .select(({ eb, fn, ref }) => [
      ref('f.sha256').$notNull().as('sha256'),
      fn.min('f.size').$notNull().as('size'),
      fn<boolean>('bool_or', [eb('f.state', '=', 'stored')]).as('stored'),
    ])
    .where('f.account', '=', account)
    .where(mayLie)
    .where('f.sha256', '>', after)
    .groupBy('f.sha256')
    .orderBy('f.sha256')
    .limit(limit)
    .execute()
}

/** Up to three subjects of files with this content. `stored`: leaves out files recorded as removed. */
export async function subjectsOfContent(
  tx: Transaction,
  account: string,
  { sha256, stored }: { sha256: Buffer; stored: boolean },
): Promise<string[]> {
  const rows = await tx
    .selectFrom('callsheet.files as f')
    .select(fileSubject.as('subject'))
    .where('f.account', '=', account)
    .where('f.sha256', '=', sha256)
    .where((eb) => (stored ? eb('f.state', '=', 'stored') : mayLie))
    .orderBy('subject')
    .limit(3)
    .execute()
  return rows.map(({ subject }) => subject)
}

/** Returns those digests, in hex, whose bytes may be in the store according to the ledger. */
export async function mayLieThere(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('callsheet.files as f')
    .select(digestHex.as('sha256'))
    .distinct()
    .where('f.account', '=', account)
    .where(mayLie)
    .where('f.sha256', 'in', decoded(digests))
    .execute()
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** Returns those digests, in hex, whose files are all recorded as removed. */
export async function removedContents(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<string[]> {
  const rows = await tx
    .selectFrom('callsheet.files as f')
    .select(digestHex.as('sha256'))
    .where('f.account', '=', account)
    .where('f.sha256', 'in', decoded(digests))
    .groupBy('f.sha256')
    .having(({ eb, fn }) => fn('bool_and', [eb('f.state', '=', 'removed')]))
    .execute()
  return rows.map(({ sha256 }) => sha256)
}

/** Whether the store may have the bytes of `f`: those of a removed file stay until a prune removes them. */
const mayLie: RawBuilder<boolean> = sql`(f.state = 'stored'
  or (f.state = 'removed' and f.bytes_gone_at is null))`

/** A content whose files are recorded as removed and whose bytes may still be in the store. */
export interface UnfinishedRemoval {
  sha256: string
  size: number
  files: number
  /** Whether the manifest has an entry for the removal of each of its files. */
  entered: boolean
}

/** The next unfinished removals, without contents that a hold or a stored file keeps. */
export async function unfinishedRemovals(
  db: Transaction,
  account: string,
  { after, limit }: { after: string; limit: number },
): Promise<UnfinishedRemoval[]> {
  return await db
    .selectFrom('callsheet.files as f')
    .select(({ fn }) => [
      digestHex.as('sha256'),
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

/** Files with an unfinished removal that the manifest does not record as removed. */
export interface UnprovenRemovals {
  files: number
  /** The subject of one of these files, as an example; null if there are none. */
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
