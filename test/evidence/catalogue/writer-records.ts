import { by, did, type Found, type Tamper } from './tamper.ts'

const ACTIVITY = `account, session_id, id, type, create_time, user_id, email, content, _raw, _bytes, _hash,
  _first_seen_at, _changed_at, _run_id`
const SESSION = `account, id, start_time, end_time, whiteboard_id, whiteboard_name, _raw, _bytes, _hash,
  _first_seen_at, _changed_at, _run_id`
const ENDED = '_valid_from, _valid_to, _ended_by_run, _end'
export const A2 = `where session_id = 's-1' and id = 'a-2'`

export const keepActivity = (end: 'deleted' | 'changed'): string =>
  `insert into history.whiteboard_activities (${ACTIVITY}, ${ENDED})
    select ${ACTIVITY}, now(), now(), 9, '${end}' from svc.whiteboard_activities ${A2}`

/** Marks a session as deleted, as a run does after the service deleted it. */
export const SESSION_GONE = [
  `insert into history.whiteboard_sessions (${SESSION}, ${ENDED})
    select ${SESSION}, now(), now(), 9, 'deleted' from svc.whiteboard_sessions where id = 's-1'`,
  `update svc.whiteboard_sessions set _deleted_at = now(), _deleted_run_id = 9 where id = 's-1'`,
  `update svc.whiteboard_participants set _deleted_at = now(), _deleted_run_id = 9 where session_id = 's-1'`,
] as const

export const ROW_A2 = ['row_changed', 'the row whiteboard_activities/s-1/a-2'] as const
export const VERSION_A2 = [
  'row_changed',
  'the previous version whiteboard_activities/s-1/a-2',
] as const
export const DID_VERSIONS = did('history.whiteboard_activities')
/** The names of missing rows in findings. */
export const ONE_ACTIVITY = /^1 row of svc.whiteboard_activities that batch \S+ wrote$/
export const ONE_PARTICIPANT = /^1 row of svc.whiteboard_participants that batch \S+ wrote$/
export const DID_ACTIVITIES = did('svc.whiteboard_activities')
export const DID_SESSIONS = did('svc.whiteboard_sessions')
const DID_PARTICIPANTS = did('svc.whiteboard_participants')
const CHANGED_A2: Found = [ROW_A2, DID_ACTIVITIES]
const GONE: Found = [
  ['row_changed', 'the previous version whiteboard_sessions/s-1'],
  ['row_changed', /^the row whiteboard_participants\/s-1\/u-1/],
  ['row_changed', 'the row whiteboard_sessions/s-1'],
  did('history.whiteboard_sessions'),
  DID_PARTICIPANTS,
  DID_SESSIONS,
]
/** Two transactions change the session, so it is reported as changed and as missing. */
const GONE_TWICE: Found = [
  ...GONE,
  DID_SESSIONS,
  ['row_missing', /^1 row of svc.whiteboard_sessions that batch \S+ wrote$/],
]

/** Tampers by the writer with records and their columns: changed, invented and hidden records. */
export const WRITER_RECORDS: readonly Tamper[] = [
  [
    'a record changed',
    by('writer', `update svc.whiteboard_activities set _bytes = '{}' ${A2}`),
    [['record_changed', /^the record whiteboard_activities\/s-1\/a-2, entry \d+$/], ...CHANGED_A2],
  ],
  [
    'a record changed with its columns',
    by(
      'writer',
      `update svc.whiteboard_activities set content = 'other',
        _raw = jsonb_set(_raw, '{content}', '"other"'),
        _bytes = convert_to(jsonb_set(_raw, '{content}', '"other"')::text, 'UTF8') ${A2}`,
    ),
    [['record_changed', /^the record whiteboard_activities\/s-1\/a-2, entry \d+$/], ...CHANGED_A2],
  ],
  [
    'a record inserted as an old one',
    by(
      'writer',
      `insert into svc.whiteboard_sessions (account, id, _raw, _bytes, _hash, _first_seen_at, _changed_at,
        _run_id) values ('main', 'new', '{}', '{}', '', now(), now(), 0)`,
    ),
    [
      ['record_without_entry', 'the record whiteboard_sessions/new'],
      ['row_changed', 'the row whiteboard_sessions/new'],
      DID_SESSIONS,
    ],
  ],
  [
    'an old version inserted among the previous ones',
    by(
      'writer',
      `insert into history.whiteboard_activities (${ACTIVITY}, ${ENDED})
        select account, session_id, id, type, create_time, user_id, email, content,
          jsonb_set(_raw, '{x}', '1'), convert_to(jsonb_set(_raw, '{x}', '1')::text, 'UTF8'), _hash,
          now(), now(), 0, now(), now(), 1, 'changed' from svc.whiteboard_activities ${A2}`,
    ),
    [
      ['record_without_entry', 'the record whiteboard_activities/s-1/a-2'],
      VERSION_A2,
      DID_VERSIONS,
    ],
  ],
  [
    'a column that differs from the record',
    by(
      'writer',
      `update svc.whiteboard_activities set user_id = 'u-2', create_time = now() where id = 'a-2'`,
    ),
    [
      ['row_changed', 'the row whiteboard_activities//s+2==/a-2'],
      ROW_A2,
      ['row_changed', 'the row whiteboard_activities/š 3/a-2'],
      DID_ACTIVITIES,
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
      ['row_changed', /^the row whiteboard_participants\/\/s\+2==\/u-1/],
      ['row_changed', /^the row whiteboard_participants\/š 3\/u-3\/Eve/],
      DID_PARTICIPANTS,
      DID_PARTICIPANTS,
    ],
  ],
  [
    'a participant moved to another session',
    by(
      'writer',
      `update svc.whiteboard_participants set session_id = 'later', ordinal = 9 where session_id = 's-1'`,
    ),
    [['row_changed', /^the row whiteboard_participants\/later\/u-1\/Anna.*\/9$/], DID_PARTICIPANTS],
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
      ['row_changed', 'the row whiteboard_activities/s-1/never'],
      ['row_changed', 'the row whiteboard_sessions/never'],
      DID_ACTIVITIES,
      DID_SESSIONS,
    ],
  ],
  [
    'a participant of a missing session',
    by(
      'writer',
      `insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
          join_whiteboard_time, ordinal, _raw, _hash, _first_seen_at, _changed_at, _run_id)
        values ('main', 'never', 'u-3', 'Eve', '', 0, '{}', '', now(), now(), 1)`,
    ),
    [['row_changed', /^the row whiteboard_participants\/never\/u-3\/Eve/], DID_PARTICIPANTS],
  ],
  [
    'an activity moved to another account',
    by('writer', `update svc.whiteboard_activities set account = 'other' ${A2}`),
    [
      ['record_missing', /^the record whiteboard_activities\/s-1\/a-2, entry \d+$/],
      ['row_missing', ONE_ACTIVITY],
      DID_ACTIVITIES,
    ],
  ],
  [
    'an activity marked as deleted, which no activity ever is',
    by(
      'writer',
      keepActivity('deleted'),
      `update svc.whiteboard_activities set _deleted_at = now() ${A2}`,
    ),
    [VERSION_A2, ROW_A2, DID_VERSIONS, DID_ACTIVITIES],
  ],
  [
    'a deleted session with changed columns',
    by(
      'writer',
      ...SESSION_GONE,
      `update svc.whiteboard_sessions set start_time = '2026-01-01' where id = 's-1'`,
    ),
    GONE_TWICE,
  ],
  [
    'a deleted session with changed bytes',
    by(
      'writer',
      ...SESSION_GONE,
      `update svc.whiteboard_sessions t set _bytes = o._bytes, _raw = o._raw, start_time = o.start_time
        from svc.whiteboard_sessions o where t.id = 's-1' and o.id = 'later'`,
    ),
    GONE_TWICE,
  ],
  ['a session marked as deleted by the service', by('writer', ...SESSION_GONE), GONE],
  [
    'a record added with its own bytes, before the next run',
    by(
      'writer',
      `insert into svc.whiteboard_sessions (account, id, _raw, _bytes, _hash, _first_seen_at, _changed_at,
        _run_id) values ('main', 'new', '{"id": "new"}', '{"id": "new"}', '', now(), now(), 9)`,
    ),
    [['row_changed', 'the row whiteboard_sessions/new'], DID_SESSIONS],
  ],
  ...[
    ['written by a later run', '_run_id', '9999999'],
    ['seen since another day', '_first_seen_at', `'2020-01-01'`],
    ['changed on another day', '_changed_at', `'2099-01-01'`],
    ['found deleted by a run', '_deleted_run_id', '1'],
    ['made of other bytes', '_hash', `'x'`],
    ['of another salt', '_salt', 'uuid_send(gen_random_uuid())'],
    ['of another payload', '_raw', `'{}'`],
  ].map(
    ([what = '', column = '', value = '']): Tamper => [
      `an activity said to be ${what}`,
      by('writer', `update svc.whiteboard_activities set ${column} = ${value} ${A2}`),
      CHANGED_A2,
    ],
  ),
  [
    'a previous version that no run wrote, with the current bytes',
    by('writer', keepActivity('changed')),
    [
      ['record_without_entry', 'the record whiteboard_activities/s-1/a-2'],
      VERSION_A2,
      DID_VERSIONS,
    ],
  ],
]
