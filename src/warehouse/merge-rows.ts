import { type RawBuilder, sql } from 'kysely'
import { noCounts, type PreparedRow, type RowCounts } from '../core/load.ts'
import type { Stream } from '../core/stream.ts'
import type { Transaction } from './connect.ts'
import { columnList, current, endVersion, incoming, loadColumns, sameKey } from './table-sql.ts'

export interface MergeTarget {
  account: string
  runId: number
  stream: Stream
}

/**
 * Merges rows by key: inserts the new, updates what differs and keeps the version before it in the history.
 * A row that compares equal is not written, whatever its hash said. Keys within `rows` must be distinct.
 */
export async function mergeRows(
  tx: Transaction,
  target: MergeTarget,
  rows: readonly PreparedRow[],
): Promise<RowCounts> {
  if (rows.length === 0) return noCounts()
  const { stream } = target
  const statement = sql<{ inserted: number; updated: number }>`
    with ${incoming(stream, rows)},
    held as (
      select t.* from ${current(stream)} t join incoming i on ${sameKey(stream, 't', 'i')}
      where t.account = ${target.account} for update of t),
    judged as (
      select i.*, h._hash is null as is_new, h._deleted_at is not null as was_gone,
        ${differs(stream)} as differs, h._raw is distinct from i._raw as raw_differs
      from incoming i left join held h on ${sameKey(stream, 'h', 'i')}),
    ended as (${keepVersions(target)}),
    updated as (${updateRows(target)}),
    inserted as (${insertRows(target)})
    select (select count(*) from inserted)::int as inserted,
      (select count(*) filter (where changed) from updated)::int as updated`
  const { rows: answers } = await statement.execute(tx)
  const { inserted = 0, updated = 0 } = answers[0] ?? {}
  return { inserted, updated, unchanged: rows.length - inserted - updated, gone: 0 }
}

/** True when anything but the noisy fields differs; audited rows also when only their bytes do. */
function differs(stream: Stream): RawBuilder<unknown> {
  const steady = Object.keys(stream.columns).filter((name) => !stream.noisy.includes(name))
  const raw = (table: string) => sql`${sql.id(table, '_raw')} - ${[...stream.noisy]}::text[]`
  const bytes = stream.audited === true ? sql`or h._bytes is distinct from i._bytes` : sql``
  const came = steady.map((name) => received(stream, { name, from: 'i', held: 'h' }))
  return sql`((${columnList(steady, 'h')}) is distinct from (${sql.join(came)})
    or (${raw('h')}) is distinct from (${raw('i')}) ${bytes})`
}

/**
 * A known row keeps the last usable instant by which a window owns it: without one no window could ever
 * miss it.
 */
function received(
  { sync }: Stream,
  { name, from, held }: { name: string; from: string; held: string },
): RawBuilder<unknown> {
  if (sync.kind !== 'windows' || sync.cursor !== name) return sql.id(from, name)
  return sql`coalesce(${sql.id(from, name)}, ${sql.id(held, name)})`
}

function keepVersions({ stream, runId }: MergeTarget): RawBuilder<unknown> {
  const rows = sql`from held h join judged j on ${sameKey(stream, 'h', 'j')}
    where j.differs and not j.was_gone`
  return endVersion(stream, { alias: 'h', end: 'changed', runId, rows })
}

function updateRows({ account, stream, runId }: MergeTarget): RawBuilder<unknown> {
  const assignments = loadColumns(stream).map(
    (name) => sql`${sql.id(name)} = ${received(stream, { name, from: 'j', held: 't' })}`,
  )
  return sql`update ${current(stream)} t set ${sql.join(assignments)},
      _changed_at = case when j.differs or j.was_gone then callsheet.clock() else t._changed_at end,
      _deleted_at = null, _run_id = ${runId}
    from judged j
    where t.account = ${account} and ${sameKey(stream, 't', 'j')} and not j.is_new
      and (j.differs or j.was_gone or j.raw_differs)
    returning (j.differs or j.was_gone) as changed`
}

function insertRows({ account, stream, runId }: MergeTarget): RawBuilder<unknown> {
  const names = loadColumns(stream)
  return sql`insert into ${current(stream)}
      (account, ${columnList(names)}, _first_seen_at, _changed_at, _run_id)
    select ${account}, ${columnList(names, 'j')}, callsheet.clock(), callsheet.clock(), ${runId}
    from judged j where j.is_new returning 1`
}
