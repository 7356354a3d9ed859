import { type RawBuilder, sql } from 'kysely'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'
import { instantOf } from '../shared/local-time.ts'
import { begunSessions } from './begun-sessions.ts'
import type { AuditSource } from './source.ts'

/**
 * The sessions of the period whose activities were not read whole, each with `why`, and whether it `lapsed`:
 * expired without ever being read. A relation for `from`. Filters do not count: the record is whole or not.
 */
export function unreadSessions(source: AuditSource): RawBuilder<unknown> {
  const { account, asOfMs, period, runId } = source
  return sql`(
    select s.id, s.began, s.end_time, 'incomplete' as state,
      case when l.state = 'failed' then 'their reading failed'
        when l.state = 'not_allowed' then 'the service does not allow their reading'
        when s.gone_at is not null then 'they were deleted at the service before they were read'
        when s.expire_time <= ${instantOf(asOfMs)} then 'they expired before they were read'
        when l.state = 'absent' then 'the service says that there is no such session'
        else 'they were never read' end as why,
      s.gone_at is null and s.expire_time <= ${instantOf(asOfMs)} and l.ever_complete is not true as lapsed
    from ${begunSessions(source, period)} s
    left join ${lastWords(account, runId(whiteboardActivities))} l
      on l.slice = ${SLICE_PREFIX} || s.id
    where l.state is distinct from 'complete'
      and greatest(s.began, s.end_time) >= ${instantOf(period.fromMs)})`
}

function lastWords(account: string, runId: number | undefined): RawBuilder<unknown> {
  // An answer that there is no such list reads nothing, and takes back nothing that was read.
  return sql`(select distinct on (slice) slice, case when absent then 'absent' else state end as state,
      bool_or(state = 'complete' and not absent) over (partition by slice) as ever_complete
    from callsheet.slices cross join lateral (select callsheet.no_list(state, error) as absent) a
    where account = ${account} and stream = ${whiteboardActivities.name} and run_id <= ${runId ?? 0}
    order by slice, absent, run_id desc, finished_at desc)`
}

/** The ledger names a session's list of activities by its ID at the end. */
const SLICE_PREFIX = whiteboardActivities.sync.request(['']).slice
