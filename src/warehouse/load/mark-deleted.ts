import { type QueryCreator, type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/define/stream.ts'
import {
  noCounts,
  type Owned,
  type PreparedRow,
  type RowCounts,
} from '../../core/records/row-batch.ts'
import type { Transaction, Warehouse } from '../connect.ts'
import { anyOf, now } from '../schema/expressions.ts'
import {
  current,
  endVersions,
  firstKey,
  incomingRows,
  presentRows,
  sameKey,
  typedKeys,
  type Writable,
} from '../schema/table-sql.ts'
import type { Database, EndedRow, StreamRow } from '../schema/types.ts'
import { ownedBy } from './owned-sql.ts'

export interface DeletionTarget {
  account: string
  runId: number
  stream: Stream
  /** The rows that the group owns. A row that has left the group since then is not marked. */
  owned: Owned
  /** Streams whose rows are deleted together with these rows. */
  children: readonly Stream[]
  /** How the rows end; by default `deleted`. */
  end?: RowEnd
}

/**
 * `deleted`: the service no longer has the row, which stays in its table, marked. `left`: the row is no
 * longer in the part that the account keeps; only its history stays.
 */
type RowEnd = Exclude<EndedRow['_end'], 'changed'>

/**
 * Marks confirmed rows as deleted or, if `end` is `left`, removes them from the table; their children too.
 * Ends the versions of all these rows. Returns counts by stream.
 */
export async function markDeleted(
  tx: Transaction,
  target: DeletionTarget,
  keys: readonly (readonly string[])[],
): Promise<Map<string, RowCounts>> {
  const counts = new Map<string, RowCounts>()
  if (keys.length === 0) return counts
  const { stream, owned, end = 'deleted' } = target
  const isNamed = sql<boolean>`exists (select from ${typedKeys(stream, keys)} k
    where ${sameKey(stream, 't', 'k')})`
  const marked = await tx
    .$extendTables<Writable>()
    .with('taken', (db) =>
      taking(db, target, sql<boolean>`${isNamed} and (${ownedBy(owned, 't')})`),
    )
    .with('ended', (db) => endVersions(db, stream, { ...ended, ...target, end }))
    .selectFrom('taken')
    .select(firstKey(stream, 'taken').as('parent'))
    .execute()
  counts.set(stream.name, { ...noCounts(), [end]: marked.length })
  const parents = marked.map((row) => row.parent)
  for (const child of target.children) {
    const scope = { ...target, stream: child }
    const rows = await markChildrenDeleted(tx, scope, { parents, kept: [] })
    counts.set(child.name, { ...noCounts(), [end]: rows })
  }
  return counts
}

/** Marks as deleted, or removes, the present rows of a table that match `isOne`, and returns them. */
function taking(
  db: QueryCreator<Database & Writable>,
  { account, stream, runId, end = 'deleted' }: Taking,
  isOne: RawBuilder<boolean>,
) {
  const isPresent = sql<boolean>`t.account = ${account} and t._deleted_at is null and ${isOne}`
  const table = current(stream).as('t')
  return end === 'left'
    ? db.deleteFrom(table).where(isPresent).returningAll('t')
    : db
        .updateTable(table)
        .set({ _deleted_at: now, _deleted_run_id: runId })
        .where(isPresent)
        .returningAll('t')
}

type Taking = Pick<DeletionTarget, 'account' | 'runId' | 'stream' | 'end'>

/**
 * Ends the children of `parents` that are not in `kept`: marks them as deleted or, if `end` is `left`,
 * removes them from the table. No second read is needed: a record contains all of its children. Returns the
 * number of rows.
 */
export async function markChildrenDeleted(
  tx: Transaction,
  target: Taking,
  { parents, kept }: { parents: readonly string[]; kept: readonly PreparedRow[] },
): Promise<number> {
  if (parents.length === 0) return 0
  const { stream, end = 'deleted' } = target
  const isOther = sql<boolean>`${firstKey(stream, 't')} = ${anyOf(parents)}
    and not exists (select from incoming i where ${sameKey(stream, 'i', 't')})`
  const { marked } = await tx
    .$extendTables<Writable>()
    .with('incoming', incomingRows(stream, kept))
    .with('taken', (db) => taking(db, target, isOther))
    .with('ended', (db) => endVersions(db, stream, { ...ended, ...target, end }))
    .selectFrom('taken')
    .select(({ fn }) => fn.countAll<number>().as('marked'))
    .executeTakeFirstOrThrow()
  return marked
}

/**
 * Returns the parents that have no present row although the child stream still has rows of them: `deleted`
 * ones, and `left` ones, which left the part and have no row at all.
 */
export async function deletedParents(
  warehouse: Warehouse,
  { account, stream, parent }: { account: string; stream: Stream; parent: Stream },
): Promise<Record<RowEnd, string[]>> {
  const rows = await warehouse.db
    .selectFrom(presentRows({ account, stream }).as('c'))
    .leftJoin(current(parent).as('p'), (join) =>
      join
        .onRef('p.account', '=', 'c.account')
        .on(firstKey(parent, 'p'), '=', firstKey(stream, 'c')),
    )
    .select(firstKey(stream, 'c').as('parent'))
    .select(({ eb }) => eb('p.account', 'is', null).as('left'))
    .distinct()
    .where(({ eb, or }) => or([eb('p.account', 'is', null), eb('p._deleted_at', 'is not', null)]))
    .execute()
  const those = (left: boolean): string[] =>
    rows.filter((row) => row.left === left).map((row) => row.parent)
  return { deleted: those(false), left: those(true) }
}

const ended = { rows: sql.table<StreamRow>('taken') } as const
