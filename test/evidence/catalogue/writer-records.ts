import { by, type Tamper } from './tamper.ts'

const ACTIVITY = `account, session_id, id, type, create_time, user_id, email, content, _raw, _bytes, _hash,
  _first_seen_at, _changed_at, _run_id`
const SESSION = `account, id, start_time, end_time, whiteboard_id, whiteboard_name, _raw, _bytes, _hash,
  _first_seen_at, _changed_at, _run_id`
const ENDED = '_valid_from, _valid_to, _ended_by_run, _end'
export const A2 = `where session_id = 's-1' and id = 'a-2'`

export const keepActivity = (end: 'deleted' | 'changed'): string =>
  `insert into history.whiteboard_activities (${ACTIVITY}, ${ENDED})
    select ${ACTIVITY}, now(), now(), 9, '${end}' from svc.whiteboard_activities ${A2}`

/** A session as a run leaves it that saw that the service has deleted it. */
export const SESSION_GONE = [
  `insert into history.whiteboard_sessions (${SESSION}, ${ENDED})
    select ${SESSION}, now(), now(), 9, 'deleted' from svc.whiteboard_sessions where id = 's-1'`,
  `update svc.whiteboard_sessions set _deleted_at = now(), _deleted_run_id = 9 where id = 's-1'`,
  `update svc.whiteboard_participants set _deleted_at = now(), _deleted_run_id = 9 where session_id = 's-1'`,
] as const

/** What the writer can do to records and their columns: change them, add what never came, hide what did. */
export const WRITER_RECORDS: readonly Tamper[] = [
  [
    'a record changed',
    by('writer', `update svc.whiteboard_activities set _bytes = '{}' ${A2}`),
    [['record_changed', /^the record whiteboard_activities\/s-1\/a-2, entry \d+$/]],
  ],
  [
    'a record changed with its columns',
    by(
      'writer',
      `update svc.whiteboard_activities set content = 'other',
        _raw = jsonb_set(_raw, '{content}', '"other"'),
        _bytes = convert_to(jsonb_set(_raw, '{content}', '"other"')::text, 'UTF8') ${A2}`,
    ),
    [['record_changed', /^the record whiteboard_activities\/s-1\/a-2, entry \d+$/]],
  ],
  [
    'a record slipped in as if it were old',
    by(
      'writer',
      `insert into svc.whiteboard_sessions (account, id, _raw, _bytes, _hash, _first_seen_at, _changed_at,
        _run_id) values ('main', 'new', '{}', '{}', '', now(), now(), 0)`,
    ),
    [['record_without_entry', 'the record whiteboard_sessions/new']],
  ],
  [
    'an old version slipped in among those of before',
    by(
      'writer',
      `insert into history.whiteboard_activities (${ACTIVITY}, ${ENDED})
        select account, session_id, id, type, create_time, user_id, email, content,
          jsonb_set(_raw, '{x}', '1'), convert_to(jsonb_set(_raw, '{x}', '1')::text, 'UTF8'), _hash,
          now(), now(), 0, now(), now(), 1, 'changed' from svc.whiteboard_activities ${A2}`,
    ),
    [['record_without_entry', 'the record whiteboard_activities/s-1/a-2']],
  ],
  [
    'the mark set on, so that no run enters what comes next',
    async (stage) => {
      await stage.as('writer', 'update callsheet.evidence_marks set run_id = 1000')
      await stage.as(
        'writer',
        `insert into svc.whiteboard_sessions (account, id, _raw, _bytes, _hash, _first_seen_at,
          _changed_at, _run_id)
          values ('main', 'new', '{"id": "new"}', '{"id": "new"}', '', now(), now(), 4)`,
      )
      await stage.append()
    },
    [['record_without_entry', 'the record whiteboard_sessions/new']],
  ],
  [
    'a column that says something else than the record',
    by(
      'writer',
      `update svc.whiteboard_activities set user_id = 'u-2', create_time = now() where id = 'a-2'`,
    ),
    [
      ['columns_changed', 'the record whiteboard_activities/%2Fs%2B2%3D%3D/a-2'],
      ['columns_changed', 'the record whiteboard_activities/%C5%A1%203/a-2'],
      ['columns_changed', 'the record whiteboard_activities/s-1/a-2'],
    ],
  ],
  [
    'a participant added, and one with another address',
    by(
      'writer',
      `insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
          join_whiteboard_time, ordinal, _raw, _hash, _first_seen_at, _changed_at, _run_id)
        values ('main', 'š 3', 'u-3', 'Eve', '', 0, '{}', '', now(), now(), 1)`,
      `update svc.whiteboard_participants set email = 'x@example.com' where session_id = '/s+2=='`,
    ),
    [
      ['parts_changed', 'the record whiteboard_sessions/%2Fs%2B2%3D%3D'],
      ['parts_changed', 'the record whiteboard_sessions/%C5%A1%203'],
    ],
  ],
  [
    'a participant moved to another session',
    by(
      'writer',
      `update svc.whiteboard_participants set session_id = 'later', ordinal = 9 where session_id = 's-1'`,
    ),
    [
      ['parts_changed', 'the record whiteboard_sessions/later'],
      ['parts_changed', 'the record whiteboard_sessions/s-1'],
    ],
  ],
  [
    'an activity and a session without bytes',
    by(
      'writer',
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
    by(
      'writer',
      `insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
          join_whiteboard_time, ordinal, _raw, _hash, _first_seen_at, _changed_at, _run_id)
        values ('main', 'never', 'u-3', 'Eve', '', 0, '{}', '', now(), now(), 1)`,
    ),
    [['parts_without_record', 'the record whiteboard_sessions/never']],
  ],
  [
    'an activity moved to another account',
    by('writer', `update svc.whiteboard_activities set account = 'other' ${A2}`),
    [['record_missing', /^the record whiteboard_activities\/s-1\/a-2, entry \d+$/]],
  ],
  [
    'an activity that was marked as gone, which none ever is',
    by(
      'writer',
      keepActivity('deleted'),
      `update svc.whiteboard_activities set _deleted_at = now() ${A2}`,
    ),
    [['record_hidden', 'the record whiteboard_activities/s-1/a-2']],
  ],
  [
    'a session that is gone and shown with other columns',
    by(
      'writer',
      ...SESSION_GONE,
      `update svc.whiteboard_sessions set start_time = '2026-01-01' where id = 's-1'`,
    ),
    [['columns_changed', 'the record whiteboard_sessions/s-1']],
  ],
  [
    'a session that is gone and shown with other bytes than it had',
    by(
      'writer',
      ...SESSION_GONE,
      `update svc.whiteboard_sessions t set _bytes = o._bytes, _raw = o._raw, start_time = o.start_time
        from svc.whiteboard_sessions o where t.id = 's-1' and o.id = 'later'`,
    ),
    [['record_hidden', 'the record whiteboard_sessions/s-1']],
  ],
]
