import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'
import { fileSubject } from './evidence-files.ts'
import { decoded, digestOf } from './file-rows-sql.ts'

/** A content whose bytes may lie in the store: of a stored file, or of removed ones alone. */
export interface KeptContent {
  sha256: Buffer
  size: number
  stored: boolean
}

/**
 * The contents after one, in the order of their digests: of what is stored, and of what is entered as removed
 * while a hold, the store's lock or a prune that was cut off keeps the bytes.
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

/** The subjects whose bytes have a digest, a few of them: of stored files alone, or of removed ones too. */
export async function subjectsOf(
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

/** Which of the digests, in hex, are of contents whose bytes may lie in the store by what the ledger says. */
export async function mayLieThere(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('callsheet.files as f')
    .select(digestOf.as('sha256'))
    .distinct()
    .where('f.account', '=', account)
    .where(mayLie)
    .where('f.sha256', 'in', decoded(digests))
    .execute()
  return new Set(rows.map(({ sha256 }) => sha256))
}

/** Which of the digests, in hex, are of files that are all entered as removed. */
export async function removedContents(
  tx: Transaction,
  account: string,
  digests: readonly string[],
): Promise<string[]> {
  const rows = await tx
    .selectFrom('callsheet.files as f')
    .select(digestOf.as('sha256'))
    .where('f.account', '=', account)
    .where('f.sha256', 'in', decoded(digests))
    .groupBy('f.sha256')
    .having(({ eb, fn }) => fn('bool_and', [eb('f.state', '=', 'removed')]))
    .execute()
  return rows.map(({ sha256 }) => sha256)
}

/** Of a file `f`. What was removed has its bytes until a prune enters that they are gone. */
const mayLie: RawBuilder<boolean> = sql`(f.state = 'stored'
  or (f.state = 'removed' and f.bytes_gone_at is null))`
