import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../core/define/stream.ts'
import type { GoneRowsOf, Relation, ReportRow, Version } from '../core/define/stream-row.ts'

/** The run's end to the microsecond, as stored in the database. */
interface EndedRun {
  id: number
  finishedAt: string
}

/** Replaces the run if a stream was never read. As of this run there are no rows. */
const NEVER: EndedRun = { id: 0, finishedAt: 'infinity' }

// Raw SQL, because tables and columns are known only at run time. The types come from the streams'
// declarations.

/**
 * Returns a stream's rows as of one run, as a relation for one account: rows unchanged since then, and
 * versions that a later run replaced.
 */
export function rowsAsOf<S extends Stream>(
  stream: S,
  account: string,
  run: EndedRun = NEVER,
): Relation<ReportRow<S>> {
  const columns = columnsOf(stream)
  return sql<ReportRow<S>>`(
    select ${columns} from ${sql.id('svc', stream.name)}
    where account = ${account} and _deleted_at is null and _run_id <= ${run.id}
    union all
    select ${columns} from ${sql.id('history', stream.name)}
    where account = ${account} and _run_id <= ${run.id} and _ended_by_run > ${run.id}
      and _valid_to >= ${run.finishedAt}::timestamptz)`
}

/**
 * Returns rows that had been found deleted as of one run, in their last state, even if a later run found them
 * again.
 */
export function goneAsOf<S extends Stream>(
  stream: S,
  account: string,
  run: EndedRun = NEVER,
): ReturnType<GoneRowsOf<S>> {
  const key = sql.join(stream.key.map((name) => sql.id(name)))
  const columns = columnsOf(stream)
  const gone = sql`select ${columns}, _deleted_at as gone_at, _deleted_run_id as gone_by
    from ${sql.id('svc', stream.name)}
    where account = ${account} and _deleted_at is not null and _deleted_run_id <= ${run.id}`
  type Gone = ReportRow<S> & { gone_at: string; gone_by: number }
  // Adds the last deleted version of each row that was deleted as of the run and found again later.
  return sql<Gone>`(${gone}
    union all
    select * from (
      select distinct on (${key}) ${columns}, _valid_to as gone_at, _ended_by_run as gone_by
      from ${sql.id('history', stream.name)}
      where account = ${account} and _end = 'deleted' and _ended_by_run <= ${run.id}
      order by ${key}, _ended_by_run desc) past
    where not exists (select from (${gone}) g where (${keyOf(stream, 'g')}) = (${keyOf(stream, 'past')}))
      and not exists (select from ${rowsAsOf(stream, account, run)} l
        where (${keyOf(stream, 'l')}) = (${keyOf(stream, 'past')})))`
}

function keyOf({ key }: Stream, table: string): RawBuilder<unknown> {
  return sql.join(key.map((name) => sql.id(table, name)))
}

/**
 * Returns all versions of a stream's rows as of one run: those present at that time, and those that had ended
 * by then.
 */
export function versionsAsOf<S extends Stream>(
  stream: S,
  account: string,
  run: EndedRun = NEVER,
): Relation<Version<S>> {
  return sql<Version<S>>`(
    select ${columnsOf(stream)}, _changed_at as _valid_from, null::timestamptz as _valid_to,
      null::text as _end
    from ${rowsAsOf(stream, account, run)} standing
    union all
    select ${columnsOf(stream)}, _valid_from, _valid_to, _end
    from ${sql.id('history', stream.name)}
    where account = ${account} and _ended_by_run <= ${run.id})`
}

function columnsOf(stream: Stream): RawBuilder<unknown> {
  const names = [...Object.keys(stream.columns), '_first_seen_at', '_changed_at']
  return sql.join(names.map((name) => sql.id(name)))
}
