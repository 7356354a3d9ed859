import type { Transaction } from '../warehouse/connect.ts'
import { anyOf, now } from '../warehouse/schema/expressions.ts'

export interface Placing {
  account: string
  /** The absolute path, with links resolved. */
  path: string
  sha256: string
}

/** Records a file before it is put in place, so that even a killed process leaves no unknown files. */
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

/** Whether we placed a file with this content at one of the paths, which all lead to the same file. */
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
