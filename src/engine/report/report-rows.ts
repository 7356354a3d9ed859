import { type RawBuilder, sql } from 'kysely'
import type { Stream } from '../../core/declare/stream.ts'

/** Its end to the microsecond, as the database has it. */
interface EndedRun {
  id: number
  finishedAt: string
}

/**
 * A stream's rows as one run left them, whatever came after: the rows that stand unchanged since,
 * and the versions that a later run ended. A relation for `from`, bound to one account, with the
 * stream's columns, `_first_seen_at` and `_changed_at`.
 */
export function rowsAsOf(stream: Stream, account: string, run: EndedRun): RawBuilder<unknown> {
  const columns = columnsOf(stream)
  const at = sql`${run.finishedAt}::timestamptz`
  // A volatile field alone moves a row's run on without leaving a version, so there the time of the
  // change decides.
  const volatile = stream.volatile.length > 0
  const standing = volatile ? sql`_changed_at <= ${at}` : sql`_run_id <= ${run.id}`
  // A version that ended by its row's going carries the run that ended it, not the one that wrote it.
  const written = volatile ? sql`true` : sql`(_end = 'deleted' or _run_id <= ${run.id})`
  return sql`(
    select ${columns} from ${sql.id('svc', stream.name)}
    where account = ${account} and _deleted_at is null and ${standing}
    union all
    select ${columns} from ${sql.id('history', stream.name)}
    where account = ${account} and _ended_by_run > ${run.id} and _valid_to >= ${at}
      and _valid_from <= ${at} and ${written})`
}

/** The rows that one run, or one before it, found to be gone, as they were last. */
export function goneAsOf(stream: Stream, account: string, runId: number): RawBuilder<unknown> {
  return sql`(
    select ${columnsOf(stream)}, _deleted_at as gone_at, _run_id as gone_by
    from ${sql.id('svc', stream.name)}
    where account = ${account} and _deleted_at is not null and _run_id <= ${runId})`
}

/** No row, with the columns of `rowsAsOf`: of a stream that was never read. */
export function noRows(stream: Stream): RawBuilder<unknown> {
  return sql`(select ${columnsOf(stream)} from ${sql.id('svc', stream.name)} where false)`
}

function columnsOf(stream: Stream): RawBuilder<unknown> {
  const names = [...Object.keys(stream.columns), '_first_seen_at', '_changed_at']
  return sql.join(names.map((name) => sql.id(name)))
}
