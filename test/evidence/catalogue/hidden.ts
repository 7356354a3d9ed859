import { OWNER } from '../../helpers/stated-world.ts'
import type { LedgerTamper } from './ledgers.ts'
import { by, type Tamper } from './tamper.ts'
import { A2, keepActivity } from './writer-records.ts'

const CHANGED = [['row_changed', /s-1\/a-2/]] as const

/**
 * What the writer can do to the columns by which reports choose rows. No check shows it yet: these are held
 * to fail until one does.
 */
export const HIDDEN_RECORDS: readonly Tamper[] = [
  [
    'an activity said to be written by a run to come',
    by('writer', `update svc.whiteboard_activities set _run_id = 9999999 ${A2}`),
    CHANGED,
  ],
  [
    'an activity said to be seen since another day',
    by('writer', `update svc.whiteboard_activities set _first_seen_at = '2020-01-01' ${A2}`),
    CHANGED,
  ],
  [
    'an activity said to have changed on another day',
    by('writer', `update svc.whiteboard_activities set _changed_at = '2099-01-01' ${A2}`),
    CHANGED,
  ],
  [
    'a version of before that nobody wrote, with the bytes that stand',
    by('writer', keepActivity('changed')),
    CHANGED,
  ],
]

/** The same in tables whose records have no entries of their own. */
export const HIDDEN_ROWS: readonly LedgerTamper[] = [
  ['_run_id', '9999999'],
  ['_first_seen_at', `'2020-01-01'`],
  ['_changed_at', `'2099-01-01'`],
].map(([column = '', value = '']) => [
  `the ${column} of a user`,
  [
    `update svc.users set ${column} = ${value} where account = '${OWNER}'
      and id = (select min(id) from svc.users where account = '${OWNER}')`,
  ],
  [['row_changed', /^the row of users/]],
])
