import { sql } from 'kysely'
import type { FileSource } from '../../core/define/file-source.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { expiryOf, itemOf, parentOf, type RowsToFetch, rowsToFetch } from './file-rows-sql.ts'
import { wantedAgain } from './lost-files.ts'
import { joinWhole } from './planner.ts'

/** What is to be fetched, including files that no run has recorded yet and files that the store has lost. */
export interface PendingWork {
  parents: number
  files: number
  /** One call for each file, and the calls that list the parents again. */
  calls: number
}

/** `pageSize`: files in a page of a parent's list; undefined if one answer has all of them. */
export async function pendingWork(
  tx: Transaction,
  { source, account }: { source: FileSource; account: string },
  { days, pageSize }: { days: number | undefined; pageSize: number | undefined },
): Promise<PendingWork> {
  await joinWhole(tx)
  const work: PendingWork = { parents: 0, files: 0, calls: 0 }
  const pages = pageSize === undefined ? sql`1` : sql`ceil(listed::float8 / ${pageSize}::int)`
  for (const rows of source.rows) {
    const found = await tx
      .selectFrom(byParent(tx, { account, source, rows, days }).as('one'))
      .select(({ fn }) => [
        fn.countAll<number>().as('parents'),
        sql<number>`coalesce(sum(pending), 0)::int`.as('files'),
        sql<number>`coalesce(sum(pending + ${pages}), 0)::int`.as('calls'),
      ])
      .where('pending', '>', 0)
      .executeTakeFirstOrThrow()
    for (const name of ['parents', 'files', 'calls'] as const) work[name] += found[name]
  }
  return work
}

/** By parent: how many unexpired files it lists, and how many of them are to be fetched. */
function byParent(tx: Transaction, which: RowsToFetch) {
  const { source, rows } = which
  return rowsToFetch(tx, which)
    .leftJoin('callsheet.files as f', (join) =>
      join
        .onRef('f.account', '=', 'r.account')
        .on('f.kind', '=', source.kind)
        .on('f.parent', '=', parentOf(rows))
        .on('f.item', '=', itemOf(rows)),
    )
    .where(sql<boolean>`coalesce(${expiryOf(source)} > callsheet.clock(), true)`)
    .select(({ eb, fn, or, val }) => {
      const pending = eb(fn.coalesce('f.state', val('pending')), '=', 'pending')
      return [
        fn.countAll<number>().as('listed'),
        fn
          .countAll<number>()
          .filterWhere(or([pending, wantedAgain]))
          .as('pending'),
      ]
    })
    .groupBy(parentOf(rows))
}
