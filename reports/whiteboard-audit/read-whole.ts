import { sql } from 'kysely'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'
import { instantOf, later } from '../shared/local-time.ts'
import { begunSessions } from './begun-sessions.ts'
import type { AuditSource } from './source.ts'

/**
 * Returns the sessions of the period whose activities were not completely read, each with the reason `why`,
 * and with `lapsed` if it expired without being read. Ignores filters, because completeness concerns the
 * whole record.
 */
export function unreadSessions(source: AuditSource) {
  const { db, asOfMs, period } = source
  const asOf = instantOf(asOfMs)
  return db
    .selectFrom(begunSessions(source, period).as('s'))
    .leftJoin(lastWords(source).as('l'), (join) =>
      join.on(({ eb, ref }) => eb('l.slice', '=', sql<string>`${SLICE_PREFIX} || ${ref('s.id')}`)),
    )
    .select(['s.id', 's.began', 's.end_time', sql<string>`'incomplete'`.as('state')])
    .select(({ and, eb }) => [
      eb
        .case()
        .when('l.state', '=', 'failed')
        .then('the read failed')
        .when('l.state', '=', 'not_allowed')
        .then('the account may not read them')
        .when('s.gone_at', 'is not', null)
        .then('deleted at the service before a sync read them')
        .when('s.expire_time', '<=', asOf)
        .then('expired before a sync read them')
        .when('l.state', '=', 'absent')
        .then('the service reports that there is no such session')
        .else('no sync has read them yet')
        .end()
        .as('why'),
      and([
        eb('s.gone_at', 'is', null),
        eb('s.expire_time', '<=', asOf),
        eb('l.ever_complete', 'is not', true),
      ]).as('lapsed'),
    ])
    .where('l.state', 'is distinct from', 'complete')
    .where(({ eb, ref }) =>
      eb(later(ref('s.began'), ref('s.end_time')), '>=', instantOf(period.fromMs)),
    )
}

/**
 * Returns the last attempt of each list. An answer that there is no such list counts only if the list has no
 * other attempt.
 */
function lastWords({ db, account, runId }: AuditSource) {
  const absent = sql<boolean>`callsheet.no_list(state, error)`
  return db
    .selectFrom('callsheet.slices')
    .crossJoinLateral(db.selectNoFrom(absent.as('absent')).as('a'))
    .distinctOn('slice')
    .select([
      'slice',
      sql<string>`case when absent then 'absent' else state end`.as('state'),
      sql<boolean>`bool_or(state = 'complete' and not absent) over (partition by slice)`.as(
        'ever_complete',
      ),
    ])
    .where('account', '=', account)
    .where('stream', '=', whiteboardActivities.name)
    .where('run_id', '<=', runId(whiteboardActivities) ?? 0)
    .orderBy('slice')
    .orderBy('absent')
    .orderBy('run_id', 'desc')
    .orderBy('finished_at', 'desc')
}

/** The name of a session's slice, without the ID at its end. */
const SLICE_PREFIX = whiteboardActivities.sync.request(['']).slice
