import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../../warehouse/connect.ts'
import { decoded, digestHex, hasTime } from './file-rows-sql.ts'
import type { FileScope } from './files.ts'

/** A content that the store should have; the digest is in hex. */
export interface StoredContent {
  sha256: string
  size: number
}

type Scope = Omit<FileScope, 'runId'>

/** Whether the store has lost the stored file `f`, and the service may still have it. */
export const wantedAgain: RawBuilder<boolean> = sql`(f.state = 'stored' and f.lost = 'wanted'
  and ${hasTime})`

/**
 * Contents of stored files that could be fetched again, earliest expiry first, at most `most`. If `lost`,
 * only contents marked as lost; else only contents without that mark.
 */
export async function refetchableContents(
  tx: Transaction,
  { account, kind }: Scope,
  { lost, most }: { lost: boolean; most: number },
): Promise<StoredContent[]> {
  return await tx
    .selectFrom('callsheet.files as f')
    .select(({ cast, fn }) => [
      digestHex.as('sha256'),
      cast<number>(fn.min('f.size'), 'float8').as('size'),
    ])
    .where('f.account', '=', account)
    .where('f.kind', '=', kind)
    .where('f.state', '=', 'stored')
    .where('f.lost', lost ? '=' : 'is', lost ? 'wanted' : null)
    .where(hasTime)
    .groupBy('f.sha256')
    .orderBy(
      ({ fn }) => fn.min('f.expires_at'),
      (order) => order.asc().nullsLast(),
    )
    .limit(most)
    .execute()
}

/** Marks the files of these contents as lost, so that they are fetched again. */
export async function markLost(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<void> {
  if (digests.length === 0) return
  await tx
    .updateTable('callsheet.files')
    .set({ lost: 'wanted' })
    .where('account', '=', account)
    .where('state', '=', 'stored')
    .where('lost', 'is', null)
    .where('sha256', 'in', decoded(digests))
    .execute()
}

/** Marks all files of these contents as present in the store. */
export async function markWhole(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<void> {
  if (digests.length === 0) return
  await tx
    .updateTable('callsheet.files')
    .set({ lost: null, reason: null, absent_since: null, absent_run_id: null })
    .where('account', '=', account)
    .where('lost', 'is not', null)
    .where('sha256', 'in', decoded(digests))
    .execute()
}
