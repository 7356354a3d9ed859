import { OWNER } from '../../helpers/stated-world.ts'
import type { LedgerTamper } from './ledgers.ts'
import { did } from './tamper.ts'

const one = (table: string): string =>
  `account = '${OWNER}' and id = (select min(id) from svc.${table} where account = '${OWNER}')`

/** Tampers with rows that have no entries of their own, also in columns by which reports select rows. */
export const WRITER_ROWS: readonly LedgerTamper[] = [
  ...[
    ['_run_id', '9999999'],
    ['_first_seen_at', `'2020-01-01'`],
    ['_changed_at', `'2099-01-01'`],
    ['_deleted_at', 'now()'],
    ['_deleted_run_id', '1'],
    ['_hash', `'x'`],
    ['_raw', `'{}'`],
    ['dept', `'another'`],
    ['last_login_time', 'now()'],
  ].map(
    ([column = '', value = '']): LedgerTamper => [
      `the ${column} of a user`,
      [`update svc.users set ${column} = ${value} where ${one('users')}`],
      [did('svc.users'), ['row_changed', /^the row users/]],
    ],
  ),
  [
    'a session of a bad month hidden from its report',
    [
      `update svc.session_reports set _run_id = 9999999
        where ctid = (select min(ctid) from svc.session_reports where account = '${OWNER}')`,
    ],
    [did('svc.session_reports'), ['row_changed', /^the row session_reports/]],
  ],
  [
    'a number inserted',
    [
      `insert into svc.phone_numbers
        select (jsonb_populate_record(n, '{"id": "other"}')).* from svc.phone_numbers n
        where ${one('phone_numbers')}`,
    ],
    [did('svc.phone_numbers'), ['row_changed', 'the row phone_numbers/other']],
  ],
  [
    'a previous version of a user inserted',
    [
      `insert into history.users select n.*, now(), now(), 1, 'changed' from svc.users n
        where ${one('users')}`,
    ],
    [did('history.users'), ['row_changed', /^the previous version users/]],
  ],
]

export const ERASER_TAKES: readonly LedgerTamper[] = [
  [
    'a number deleted',
    [`delete from svc.phone_numbers where ${one('phone_numbers')}`],
    [
      did('svc.phone_numbers'),
      ['row_missing', /^1 row of svc.phone_numbers that batch \S+ wrote$/],
    ],
  ],
]
