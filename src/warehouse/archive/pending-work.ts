import { sql } from 'kysely'
import type { FileSource } from '../../core/declare/file-source.ts'
import type { Transaction } from '../connection/connect.ts'
import { current } from '../connection/table-sql.ts'
import { expiryOf, itemOf, parentOf, withheldBy, youngEnough } from './file-rows-sql.ts'
import { joinWhole } from './files.ts'
import { wantedAgain } from './lost-files.ts'

/** What there is to fetch, with what no run has entered yet and what the store has lost. */
export interface PendingWork {
  parents: number
  files: number
  /** One for each file, and those that list the parents anew. */
  calls: number
}

/** `pageSize`: files to a page of a parent's list; undefined where one answer has all of them. */
export async function pendingWork(
  tx: Transaction,
  { source, account }: { source: FileSource; account: string },
  { days, pageSize }: { days: number | undefined; pageSize: number | undefined },
): Promise<PendingWork> {
  await joinWhole(tx)
  const work: PendingWork = { parents: 0, files: 0, calls: 0 }
  const pages = pageSize === undefined ? sql`1` : sql`ceil(listed::float8 / ${pageSize}::int)`
  for (const rows of source.rows) {
    const { rows: found } = await sql<PendingWork>`
      select count(*)::int as parents, coalesce(sum(pending), 0)::int as files,
        coalesce(sum(pending + ${pages}), 0)::int as calls
      from (
        select count(*)::int as listed,
          count(*) filter (where coalesce(f.state, 'pending') = 'pending' or ${wantedAgain})::int
            as pending
        from ${current(rows.stream)} r
          join ${current(source.parent)} p on p.account = r.account
            and ${sql.id('p', source.parent.key[0] as string)} = ${parentOf(rows)}
          left join callsheet.files f on f.account = r.account and f.kind = ${source.kind}
            and f.parent = ${parentOf(rows)} and f.item = ${itemOf(rows)}
        where r.account = ${account} and r._deleted_at is null and ${youngEnough(rows, days)}
          and not ${withheldBy(source)}
          and coalesce(${expiryOf(source)} > callsheet.clock(), true)
        group by ${parentOf(rows)}) one
      where pending > 0`.execute(tx)
    for (const name of ['parents', 'files', 'calls'] as const) work[name] += found[0]?.[name] ?? 0
  }
  return work
}
