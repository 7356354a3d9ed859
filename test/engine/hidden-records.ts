import { addRun, type EvidenceStage } from '../helpers/evidence-stage.ts'
import { sqlOf, type TAMPERED } from './tampered-evidence.ts'

const ACTIVITY = `account, session_id, id, type, create_time, user_id, email, content, _raw, _bytes, _hash,
  _first_seen_at, _changed_at, _run_id`
const SESSION = `account, id, start_time, end_time, whiteboard_id, whiteboard_name, _raw, _bytes, _hash,
  _first_seen_at, _changed_at, _run_id`
const ENDED = '_valid_from, _valid_to, _ended_by_run, _end'
const A2 = `where session_id = 's-1' and id = 'a-2'`

const keepActivity = (end: 'deleted' | 'changed'): string =>
  `insert into history.whiteboard_activities (${ACTIVITY}, ${ENDED})
    select ${ACTIVITY}, now(), now(), 9, '${end}' from svc.whiteboard_activities ${A2}`

/** A session as a run leaves it that saw that the service has deleted it. */
export const SESSION_GONE = [
  `insert into history.whiteboard_sessions (${SESSION}, ${ENDED})
    select ${SESSION}, now(), now(), 9, 'deleted' from svc.whiteboard_sessions where id = 's-1'`,
  `update svc.whiteboard_sessions set _deleted_at = now(), _run_id = 9 where id = 's-1'`,
  `update svc.whiteboard_participants set _deleted_at = now(), _run_id = 9 where session_id = 's-1'`,
] as const

/** What the role that syncs could do in the tables alone: add what never came, hide what did. */
export const HIDDEN: typeof TAMPERED = [
  [
    'an activity and a session without bytes',
    sqlOf(
      `insert into svc.whiteboard_activities (account, session_id, id, _raw, _hash, _first_seen_at,
        _changed_at, _run_id) values ('main', 's-1', 'never', '{}', '', now(), now(), 1)`,
      `insert into svc.whiteboard_sessions (account, id, _raw, _hash, _first_seen_at, _changed_at, _run_id)
        values ('main', 'never', '{}', '', now(), now(), 1)`,
    ),
    [
      ['bytes_missing', 'the record whiteboard_activities/s-1/never'],
      ['bytes_missing', 'the record whiteboard_sessions/never'],
    ],
  ],
  [
    'a participant of a session that is not there',
    sqlOf(
      `insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
          join_whiteboard_time, ordinal, _raw, _hash, _first_seen_at, _changed_at, _run_id)
        values ('main', 'never', 'u-3', 'Eve', '', 0, '{}', '', now(), now(), 1)`,
    ),
    [['parts_without_record', 'the record whiteboard_sessions/never']],
  ],
  [
    'an activity that was moved among earlier versions',
    sqlOf(keepActivity('changed'), `delete from svc.whiteboard_activities ${A2}`),
    [['record_hidden', 'the record whiteboard_activities/s-1/a-2']],
  ],
  [
    'an activity that was marked as gone, which none ever is',
    sqlOf(
      keepActivity('deleted'),
      `update svc.whiteboard_activities set _deleted_at = now() ${A2}`,
    ),
    [['record_hidden', 'the record whiteboard_activities/s-1/a-2']],
  ],
  [
    'a session that is gone and shown with other columns',
    sqlOf(
      ...SESSION_GONE,
      `update svc.whiteboard_sessions set start_time = '2026-01-01' where id = 's-1'`,
    ),
    [['columns_changed', 'the record whiteboard_sessions/s-1']],
  ],
  [
    'a session that is gone and shown with other bytes than it had',
    sqlOf(
      ...SESSION_GONE,
      `update svc.whiteboard_sessions t set _bytes = o._bytes, _raw = o._raw, start_time = o.start_time
        from svc.whiteboard_sessions o where t.id = 's-1' and o.id = 'later'`,
    ),
    [['record_hidden', 'the record whiteboard_sessions/s-1']],
  ],
  [
    'an activity that was set back to an earlier version',
    async (stage) => {
      await changeTwice(stage)
      await stage.tamper(`with newest as (select * from svc.whiteboard_activities ${A2}),
          earlier as (update svc.whiteboard_activities t set content = h.content, _raw = h._raw,
            _bytes = h._bytes from history.whiteboard_activities h
            where t.session_id = 's-1' and t.id = 'a-2' and h.id = t.id and h._bytes <> t._bytes)
        update history.whiteboard_activities h set content = n.content, _raw = n._raw, _bytes = n._bytes
        from newest n where h.session_id = n.session_id and h.id = n.id`)
    },
    [['record_set_back', 'the record whiteboard_activities/s-1/a-2']],
  ],
]

/** Leaves an activity with a version before, each under a head. */
async function changeTwice(stage: EvidenceStage): Promise<void> {
  const runId = await addRun(stage)
  await stage.tamper(keepActivity('changed'))
  await stage.tamper(`update svc.whiteboard_activities set _run_id = ${runId}, content = 'new',
      _raw = jsonb_set(_raw, '{content}', '"new"'),
      _bytes = convert_to(jsonb_set(_raw, '{content}', '"new"')::text, 'UTF8') ${A2}`)
  await stage.append()
}
