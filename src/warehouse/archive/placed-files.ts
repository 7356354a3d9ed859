import type { Transaction } from '../connection/connect.ts'
import { anyOf, now } from '../connection/expressions.ts'

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
  const placed = db
    .selectFrom('callsheet.placed_files')
    .where('account', '=', account)
    .where('path', '=', path)
    .where('sha256', '=', sha256)
  await db
    .insertInto('callsheet.placed_files')
    .columns(['account', 'path', 'sha256', 'placed_at'])
    .expression(
      db
        .selectNoFrom(({ val }) => [val(account).as('account'), val(path).as('path')])
        .select(({ val }) => [val(sha256).as('sha256'), now.as('placed_at')])
        .where(({ exists, not }) => not(exists(placed))),
    )
    .execute()
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
