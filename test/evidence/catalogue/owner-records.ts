import { sqlOf, type Tamper } from './tamper.ts'
import { A2, keepActivity } from './writer-records.ts'

/** What it takes the rights of several roles to do to records. */
export const OWNER_RECORDS: readonly Tamper[] = [
  [
    'a column of a version before',
    sqlOf(
      `insert into history.whiteboard_activities (account, session_id, id, type, _raw, _bytes, _hash,
          _first_seen_at, _changed_at, _run_id, _valid_from, _valid_to, _ended_by_run, _end)
        select account, session_id, id, 'delete', _raw, _bytes, _hash, now(), now(), 9, now(), now(), 9,
          'deleted' from svc.whiteboard_activities ${A2}`,
      `delete from svc.whiteboard_activities ${A2}`,
    ),
    [
      ['columns_changed', 'the record whiteboard_activities/s-1/a-2'],
      ['record_hidden', 'the record whiteboard_activities/s-1/a-2'],
    ],
  ],
  [
    'a participant struck, one added and one with an address',
    sqlOf(
      `delete from svc.whiteboard_participants where session_id = 's-1'`,
      `insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
          join_whiteboard_time, ordinal, _raw, _hash, _first_seen_at, _changed_at, _run_id)
        values ('main', 'š 3', 'u-3', 'Eve', '', 0, '{}', '', now(), now(), 1)`,
      `update svc.whiteboard_participants set email = 'x@example.com' where session_id = '/s+2=='`,
    ),
    [
      ['parts_changed', 'the record whiteboard_sessions/%2Fs%2B2%3D%3D'],
      ['parts_changed', 'the record whiteboard_sessions/%C5%A1%203'],
      ['parts_changed', 'the record whiteboard_sessions/s-1'],
    ],
  ],
  [
    'an activity that was moved among earlier versions',
    sqlOf(keepActivity('changed'), `delete from svc.whiteboard_activities ${A2}`),
    [['record_hidden', 'the record whiteboard_activities/s-1/a-2']],
  ],
]
