import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'
import {
  noCounts,
  type Owned,
  type PreparedRow,
  type RowCounts,
} from '../../core/records/row-batch.ts'
import type { Transaction, Warehouse } from '../connection/connect.ts'
import { current, endVersion, incoming, keysRelation, sameKey } from '../connection/table-sql.ts'
import { ownedBy } from './owned-sql.ts'

export interface DeletionTarget {
  account: string
  runId: number
  stream: Stream
  /** A row that left the owned range in the meantime is somebody else's to miss. */
  owned: Owned
  /** Streams whose rows go with these. */
  children: readonly Stream[]
}

/**
 * Marks confirmed rows as gone, with their children's rows, and ends their version. Answers counts per
 * stream.
 */
export async function markDeleted(
  tx: Transaction,
  target: DeletionTarget,
  keys: readonly (readonly string[])[],
): Promise<Map<string, RowCounts>> {
  const counts = new Map<string, RowCounts>()
  if (keys.length === 0) return counts
  const { stream } = target
  const marked = await sql<{ parent: string }>`
    with ${keysRelation(stream, keys)}, deleted as (
      update ${current(stream)} t set _deleted_at = callsheet.clock(), _run_id = ${target.runId}
      from named k
      where t.account = ${target.account} and ${sameKey(stream, 't', 'k')} and t._deleted_at is null
        and ${ownedBy(target.owned, 't')}
      returning t.*),
    ended as (${endVersions(stream, target.runId)})
    select ${sql.id('deleted', stream.key[0] as string)}::text as parent from deleted`.execute(tx)
  counts.set(stream.name, { ...noCounts(), deleted: marked.rows.length })
  const parents = marked.rows.map((row) => row.parent)
  for (const child of target.children) {
    const scope = { ...target, stream: child }
    const deleted = await markChildrenDeleted(tx, scope, { parents, kept: [] })
    counts.set(child.name, { ...noCounts(), deleted })
  }
  return counts
}

/**
 * Marks the children of `parents` that are not among `kept` as gone: a cut is complete, and what belongs to
 * a row that is gone is gone too, so no further proof is needed.
 */
export async function markChildrenDeleted(
  tx: Transaction,
  { account, runId, stream }: Pick<DeletionTarget, 'account' | 'runId' | 'stream'>,
  { parents, kept }: { parents: readonly string[]; kept: readonly PreparedRow[] },
): Promise<number> {
  if (parents.length === 0) return 0
  const parentColumn = sql.id('t', stream.key[0] as string)
  const { rows } = await sql<{ marked: number }>`
    with ${incoming(stream, kept)}, deleted as (
      update ${current(stream)} t set _deleted_at = callsheet.clock(), _run_id = ${runId}
      where t.account = ${account} and ${parentColumn} = any(${[...parents]}::text[])
        and t._deleted_at is null
        and not exists (select 1 from incoming i where ${sameKey(stream, 'i', 't')})
      returning t.*),
    ended as (${endVersions(stream, runId)})
    select count(*)::int as marked from deleted`.execute(tx)
  return rows[0]?.marked ?? 0
}

/** The parents that are gone while rows of the child stream are still held for them. */
export async function deletedParents(
  warehouse: Warehouse,
  { account, stream, parent }: { account: string; stream: Stream; parent: Stream },
): Promise<string[]> {
  // A child's first key part is its parent's.
  const [own, theirs] = [sql.id('c', stream.key[0] as string), sql.id('p', parent.key[0] as string)]
  const { rows } = await sql<{ parent: string }>`
    select distinct ${own} as parent from ${current(stream)} c
    join ${current(parent)} p on p.account = c.account and ${theirs} = ${own}
    where c.account = ${account} and c._deleted_at is null and p._deleted_at is not null`.execute(
    warehouse.db,
  )
  return rows.map((row) => row.parent)
}

function endVersions(stream: Stream, runId: number): RawBuilder<unknown> {
  const rows = sql`from deleted`
  return endVersion(stream, { alias: 'deleted', end: 'deleted', runId, rows })
}
