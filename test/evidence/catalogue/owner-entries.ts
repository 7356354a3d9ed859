import { ADDED, FILLED } from '../../helpers/evidence-stage.ts'
import { did, type Found, sqlOf, type Tamper } from './tamper.ts'

/** The sizes of the second and third checkpoint: each run adds entries of a session, its rows and the run. */
const SECOND = FILLED + ADDED
export const LAST = SECOND + ADDED
export const ALL_THREE = `checkpoints over ${FILLED} to ${LAST} entries`
const NEWEST = `checkpoint over ${LAST} entries`
const LAST_NAMED = new RegExp(`^entry ${LAST} `)

/** Tampers with entries by the owner of the tables. */
export const OWNER_ENTRIES: readonly Tamper[] = [
  [
    'the line of an entry changed',
    sqlOf(
      `update callsheet.manifest set line = replace(line, '"size":1024', '"size":2048') where seq = 5`,
    ),
    [
      ['chain_broken', /^entry 6 /],
      ['record_changed', /^the record .*, entry 5$/],
      ...treeWrong(ALL_THREE),
    ],
  ],
  [
    'the subjects of entries changed with their names',
    sqlOf(
      `update callsheet.manifest set about = 'whiteboard_sessions/other',
        subject = 'whiteboard_sessions/' || repeat('a', 64) where about = 'whiteboard_sessions/s-1'`,
    ),
    [
      ['entry_changed', `entry 3 (whiteboard_sessions/${'a'.repeat(64)})`],
      ['record_missing', 'the record whiteboard_sessions/other, entry 3'],
      ['record_without_entry', 'the record whiteboard_sessions/s-1'],
      ['subject_wrong', `entry 3 (whiteboard_sessions/${'a'.repeat(64)})`],
    ],
  ],
  [
    'the subjects of entries changed to another record',
    sqlOf(
      `update callsheet.manifest set about = 'whiteboard_sessions/other'
        where about = 'whiteboard_sessions/s-1'`,
    ),
    [
      ['record_missing', 'the record whiteboard_sessions/other, entry 3'],
      ['record_without_entry', 'the record whiteboard_sessions/s-1'],
      ['subject_wrong', /^entry 3 \(whiteboard_sessions\/[0-9a-f]{64}\)$/],
    ],
  ],
  [
    'two entries swapped',
    sqlOf(
      `update callsheet.manifest set seq = seq + 1000 where seq in (20, 21)`,
      `update callsheet.manifest set seq = case seq when 1020 then 21 else 20 end where seq > 1000`,
    ),
    [
      ['chain_broken', /^entry 20 /],
      ['chain_broken', /^entry 21 /],
      ['chain_broken', /^entry 22 /],
      ['entry_changed', /^entry 20 /],
      ['entry_changed', /^entry 21 /],
      ...treeWrong(ALL_THREE),
    ],
  ],
  [
    'an entry removed from the middle',
    sqlOf(`delete from callsheet.manifest where seq = 2`),
    [
      ['chain_broken', /^entry 3 /],
      ['entry_missing', 'entry 2'],
      ['record_without_entry', /^the record /],
      ...treeWrong(ALL_THREE),
    ],
  ],
  [
    'the last entry removed',
    sqlOf(`delete from callsheet.manifest where seq = ${LAST}`),
    [['entry_missing', `entry ${LAST}`], ...treeWrong(NEWEST)],
  ],
  [
    'the last entry and its checkpoint removed',
    sqlOf(
      `delete from callsheet.manifest where seq > ${SECOND}`,
      `delete from callsheet.checkpoints where size = ${LAST}`,
      `delete from callsheet.runs where id = 3`,
      `delete from svc.whiteboard_sessions where id = 'latest'`,
    ),
    [
      ['end_cut', `the ${NEWEST}`],
      ['row_changed', /^the row whiteboard_participants\/latest\//],
      did('svc.whiteboard_participants'),
      did('svc.whiteboard_sessions'),
      ['tile_wrong', 'tile 0 of level 0'],
    ],
  ],
  [
    'entries of another account inserted',
    sqlOf(
      `update callsheet.manifest set line = replace(line, '"main"', '"other"') where seq = ${LAST}`,
    ),
    [['other_account', LAST_NAMED], ...treeWrong(NEWEST)],
  ],
]

/** The findings if the entries no longer give the signed tree. */
export function treeWrong(checkpoints: string): Found {
  return [
    ['checkpoint_wrong', `the ${checkpoints}`],
    ['tile_wrong', 'tile 0 of level 0'],
  ]
}
