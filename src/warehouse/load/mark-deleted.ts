import { sql } from 'kysely'
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
import type { StreamRow } from '../schema/types.ts'
import { ownedBy } from './owned-sql.ts'

export interface DeletionTarget {
  account: string
  runId: number
  stream: Stream
  /** The rows that the group owns. A row that has left the group since then is not marked. */
  owned: Owned
  /** Streams whose rows are deleted together with these rows. */
  children: readonly Stream[]
}

/**
 * Marks rows that are confirmed as deleted, together with their children, and ends their versions. Returns
 * counts by stream.
 */
export async function markDeleted(
  tx: Transaction,
  target: DeletionTarget,
  keys: readonly (readonly string[])[],
): Promise<Map<string, RowCounts>> {
  const counts = new Map<string, RowCounts>()
  if (keys.length === 0) return counts
  const { account, stream, runId, owned } = target
  const marked = await tx
    .$extendTables<Writable>()
    .with('deleted', (db) =>
      db
        .updateTable(current(stream).as('t'))
        .from(typedKeys(stream, keys).as('k'))
        .set({ _deleted_at: now, _deleted_run_id: runId })
        .where('t.account', '=', account)
        .where(sameKey(stream, 't', 'k'))
        .where('t._deleted_at', 'is', null)
        .where(ownedBy(owned, 't'))
        .returningAll('t'),
    )
    .with('ended', (db) => endVersions(db, stream, { ...ended, runId }))
    .selectFrom('deleted')
    .select(firstKey(stream, 'deleted').as('parent'))
    .execute()
  counts.set(stream.name, { ...noCounts(), deleted: marked.length })
  const parents = marked.map((row) => row.parent)
  for (const child of target.children) {
    const scope = { ...target, stream: child }
    const deleted = await markChildrenDeleted(tx, scope, { parents, kept: [] })
    counts.set(child.name, { ...noCounts(), deleted })
  }
  return counts
}

/**
 * Marks the children of `parents` that are not in `kept` as deleted. That needs no confirmation, because a
 * record contains all of its children, and a deleted parent has none. Returns the number of marked rows.
 */
export async function markChildrenDeleted(
  tx: Transaction,
  { account, runId, stream }: Pick<DeletionTarget, 'account' | 'runId' | 'stream'>,
  { parents, kept }: { parents: readonly string[]; kept: readonly PreparedRow[] },
): Promise<number> {
  if (parents.length === 0) return 0
  const { marked } = await tx
    .$extendTables<Writable>()
    .with('incoming', incomingRows(stream, kept))
    .with('deleted', (db) =>
      db
        .updateTable(current(stream).as('t'))
        .set({ _deleted_at: now, _deleted_run_id: runId })
        .where('t.account', '=', account)
        .where(firstKey(stream, 't'), '=', anyOf(parents))
        .where('t._deleted_at', 'is', null)
        .where(({ exists, not, selectFrom }) => {
          const own = selectFrom('incoming as i').where(sameKey(stream, 'i', 't'))
          return not(exists(own.select('i._hash')))
        })
        .returningAll('t'),
    )
    .with('ended', (db) => endVersions(db, stream, { ...ended, runId }))
    .selectFrom('deleted')
    .select(({ fn }) => fn.countAll<number>().as('marked'))
    .executeTakeFirstOrThrow()
  return marked
}

/** Returns the deleted parents that still have present rows of the child stream. */
export async function deletedParents(
  warehouse: Warehouse,
  { account, stream, parent }: { account: string; stream: Stream; parent: Stream },
): Promise<string[]> {
  const rows = await warehouse.db
    .selectFrom(presentRows({ account, stream }).as('c'))
    .innerJoin(current(parent).as('p'), (join) =>
      join
        .onRef('p.account', '=', 'c.account')
        .on(firstKey(parent, 'p'), '=', firstKey(stream, 'c')),
    )
    .select(firstKey(stream, 'c').as('parent'))
    .distinct()
    .where('p._deleted_at', 'is not', null)
    .execute()
  return rows.map((row) => row.parent)
}

const ended = { rows: sql.table<StreamRow>('deleted'), end: 'deleted' } as const
