import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { FilesAsF } from './file-rows-sql.ts'
import { covers, holdsNow } from './holds.ts'

/** The account, and the files that do not count because they are being removed too. */
export interface Beside {
  account: string
  /** A condition on the file `o`. */
  but?: Expression<SqlBool>
}

/** Whether the content of the file `f` must stay: another file has it that is stored or under a hold. */
export function contentStays(beside: Beside): Expression<SqlBool> {
  const { eb, or } = expressionBuilder<FilesAsF, 'f'>()
  return or([storedBeside(beside), eb(holdOnContent(beside), 'is not', null)])
}

/** Whether another stored file has the content of `f`. */
export function storedBeside(beside: Beside): Expression<SqlBool> {
  const { exists, selectFrom } = expressionBuilder<FilesAsF, 'f'>()
  const stored = selectFrom('callsheet.files as o')
    .where(sameContent(beside))
    .where('o.state', '=', 'stored')
  return exists(stored)
}

/**
 * The oldest hold that covers a file with the content of `f`, or null. That file may be recorded as removed:
 * its bytes are still there if a prune was interrupted before the hold was placed, or a bucket locks them.
 */
export function holdOnContent(beside: Beside) {
  return expressionBuilder<FilesAsF, 'f'>()
    .selectFrom('callsheet.holds as h')
    .innerJoin('callsheet.files as o', 'o.account', 'h.account')
    .select('h.name')
    .where(sameContent(beside))
    .where(holdsNow())
    .where(({ exists, selectFrom }) => {
      const covered = selectFrom(sql`(select o.kind, o.parent)`.as('f'))
        .leftJoin('svc.whiteboard_sessions as s', (join) =>
          join.onRef('s.account', '=', 'o.account').onRef('s.id', '=', 'o.parent'),
        )
        .where(covers())
      return exists(covered)
    })
    .orderBy('h.id')
    .limit(1)
}

function sameContent({ account, but = sql`false` }: Beside): Expression<SqlBool> {
  return sql`o.account = ${account} and o.sha256 = f.sha256 and not (${but})`
}
