import { sql } from 'kysely'
import type { Transaction } from '../connection/connect.ts'
import { anyOf } from '../connection/expressions.ts'

export interface Placing {
  account: string
  /** Absolute, without links. */
  path: string
  sha256: string
}

/** Enters what is about to be put in place: who dies over it leaves nothing that is not known for ours. */
export async function recordPlacing(
  db: Transaction,
  { account, path, sha256 }: Placing,
): Promise<void> {
  await sql`
    insert into callsheet.placed_files (account, path, sha256, placed_at)
    select ${account}, ${path}, ${sha256}, callsheet.clock()
    where not exists (select from callsheet.placed_files
      where account = ${account} and path = ${path} and sha256 = ${sha256})`.execute(db)
}

/** Whether a file of that content was put there, by whichever of the paths that lead to the place. */
export async function wasPlaced(
  db: Transaction,
  { paths, sha256 }: { paths: readonly string[]; sha256: string },
): Promise<boolean> {
  const placed = await db
    .selectFrom('callsheet.placed_files')
    .select('path')
    .where('sha256', '=', sha256)
    .where('path', '=', anyOf(paths))
    .limit(1)
    .executeTakeFirst()
  return placed !== undefined
}
