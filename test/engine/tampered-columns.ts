import { sqlOf, type TAMPERED } from './tampered-evidence.ts'

/** What is done beside the bytes of a record, in what reports are made from; and the findings. */
export const TAMPERED_COLUMNS: typeof TAMPERED = [
  [
    'a column that says something else than the record',
    sqlOf(
      `update svc.whiteboard_activities set user_id = 'u-2', create_time = now() where id = 'a-2'`,
    ),
    [
      ['columns_changed', 'the record whiteboard_activities/%2Fs%2B2%3D%3D/a-2'],
      ['columns_changed', 'the record whiteboard_activities/%C5%A1%203/a-2'],
      ['columns_changed', 'the record whiteboard_activities/s-1/a-2'],
    ],
  ],
  [
    'a column of a version before',
    sqlOf(
      `insert into history.whiteboard_activities (account, session_id, id, type, _raw, _bytes, _hash,
          _first_seen_at, _changed_at, _run_id, _valid_from, _valid_to, _ended_by_run, _end)
        select account, session_id, id, 'delete', _raw, _bytes, _hash, now(), now(), 9, now(), now(), 9,
          'deleted' from svc.whiteboard_activities where session_id = 's-1' and id = 'a-2'`,
      `delete from svc.whiteboard_activities where session_id = 's-1' and id = 'a-2'`,
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
]
