import {
  type AliasableExpression,
  type Expression,
  expressionBuilder,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import type { FileSource } from '../../core/define/file-source.ts'
import { current } from '../../warehouse/schema/table-sql.ts'
import type { Database } from '../../warehouse/schema/types.ts'
import { type FilesAsF, itemOf, keyOf, parentOf, withheldBy } from './file-rows-sql.ts'

interface OfParent {
  source: FileSource
  account: string
  parent: Expression<string>
}

/**
 * Whether a sync has found that the service deleted a parent: no list showed it, and its detail call gave the
 * answer that the documents name for deleted ones.
 */
export function deletedParent(
  source: FileSource,
  account: string,
  parent: Expression<string>,
): AliasableExpression<SqlBool> {
  return hasParent({ source, account, parent }, sql`p._deleted_at is not null`)
}

/** Whether a parent's files cannot be fetched now, e.g. those of a recording in the trash. */
export function withheldParent(
  source: FileSource,
  account: string,
  parent: Expression<string>,
): Expression<SqlBool> {
  if (source.withheld === undefined) return sql`false`
  const which = sql<boolean>`p._deleted_at is null and ${withheldBy(source)}`
  return hasParent({ source, account, parent }, which)
}

/** Whether the parent has a row `p` that fulfils the condition. */
function hasParent(
  { source, account, parent }: OfParent,
  which: RawBuilder<boolean>,
): AliasableExpression<SqlBool> {
  const { exists, selectFrom } = expressionBuilder<Database>()
  return exists(
    selectFrom(current(source.parent).as('p'))
      .where('p.account', '=', account)
      .where(keyOf(source), '=', parent)
      .where(which),
  )
}

/** Whether a row `r` that stands for the file `f` fulfils the condition. */
export function hasRow({ rows }: FileSource, which: RawBuilder<boolean>): Expression<SqlBool> {
  const { exists, or, selectFrom } = expressionBuilder<FilesAsF, 'f'>()
  const each = rows.map((one) =>
    exists(
      selectFrom(current(one.stream).as('r'))
        .whereRef('r.account', '=', 'f.account')
        .where('f.parent', '=', parentOf(one))
        .where('f.item', '=', itemOf(one))
        .where(which),
    ),
  )
  return or(each)
}
