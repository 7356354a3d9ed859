import { LEAF, sqlOf, type Tamper } from './tamper.ts'
import {
  A2,
  DID_SESSIONS,
  keepActivity,
  ONE_ACTIVITY,
  ONE_PARTICIPANT,
  ROW_A2,
  VERSION_A2,
} from './writer-records.ts'

const OF_A2 = `wrote = (select array[${LEAF}] from svc.whiteboard_activities r ${A2})`
const WRITTEN = /^what was written to rows, batch \S+$/

/** Tampers with records that need the rights of several roles. */
export const OWNER_RECORDS: readonly Tamper[] = [
  [
    'the mark advanced, so that no run enters the next versions',
    async (stage) => {
      await stage.tamper('update callsheet.checkpoints set mark = 1000')
      await stage.as(
        'writer',
        `insert into svc.whiteboard_sessions (account, id, _raw, _bytes, _hash, _first_seen_at,
          _changed_at, _run_id)
          values ('main', 'new', '{"id": "new"}', '{"id": "new"}', '', now(), now(), 4)`,
      )
      await stage.append()
    },
    [
      ['record_without_entry', 'the record whiteboard_sessions/new'],
      ['row_changed', 'the row whiteboard_sessions/new'],
      DID_SESSIONS,
    ],
  ],
  [
    'a column of a previous version',
    sqlOf(
      `insert into history.whiteboard_activities (account, session_id, id, type, _raw, _bytes, _hash,
          _first_seen_at, _changed_at, _run_id, _valid_from, _valid_to, _ended_by_run, _end)
        select account, session_id, id, 'delete', _raw, _bytes, _hash, now(), now(), 9, now(), now(), 9,
          'deleted' from svc.whiteboard_activities ${A2}`,
      `delete from svc.whiteboard_activities ${A2}`,
    ),
    [VERSION_A2, ['row_missing', ONE_ACTIVITY]],
  ],
  [
    'a participant deleted, one added, one given an address',
    sqlOf(
      `delete from svc.whiteboard_participants where session_id = 's-1'`,
      `insert into svc.whiteboard_participants (account, session_id, user_id, user_name,
          join_whiteboard_time, ordinal, _raw, _hash, _first_seen_at, _changed_at, _run_id)
        values ('main', 'š 3', 'u-3', 'Eve', '', 0, '{}', '', now(), now(), 1)`,
      `update svc.whiteboard_participants set email = 'x@example.com' where session_id = '/s+2=='`,
    ),
    [
      ['row_changed', /^the row whiteboard_participants\/\/s\+2==\/u-1/],
      ['row_changed', /^the row whiteboard_participants\/š 3\/u-3\/Eve/],
      ['row_missing', ONE_PARTICIPANT],
      ['row_missing', ONE_PARTICIPANT],
    ],
  ],
  [
    'an activity moved to the previous versions',
    sqlOf(keepActivity('changed'), `delete from svc.whiteboard_activities ${A2}`),
    [VERSION_A2, ['row_missing', ONE_ACTIVITY]],
  ],
  [
    'an activity deleted with the list of written rows',
    sqlOf(
      `delete from callsheet.written where ${OF_A2}`,
      `delete from svc.whiteboard_activities ${A2}`,
    ),
    [
      ['record_missing', /^the record whiteboard_activities\/s-1\/a-2, entry \d+$/],
      ['stated_missing', WRITTEN],
    ],
  ],
  [
    'an activity hidden, and the list of written rows adapted',
    sqlOf(
      `update svc.whiteboard_activities set _run_id = 9999999 ${A2}`,
      `update callsheet.written set wrote = (select array_agg(${LEAF})
        from svc.whiteboard_activities r ${A2}) where batch = (select batch from callsheet.written
        where place = 'svc.whiteboard_activities' order by id offset 1 limit 1)`,
    ),
    [ROW_A2, ['stated_otherwise', WRITTEN]],
  ],
]
