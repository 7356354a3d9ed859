import { sqlOf, type Tampered } from './tampered-evidence.ts'

/** What is done to entries, and all the findings that it must lead to. */
export const TAMPERED_ENTRIES: readonly Tampered[] = [
  [
    'the line of an entry changed',
    sqlOf(
      `update callsheet.manifest set line = replace(line, '"size":', '"size":1') where seq = 5`,
    ),
    [
      ['chain_broken', /^entry 6 /],
      ['entry_changed', /^entry 5 \(whiteboard_/],
      ['record_changed', /^the record .*, entry 5$/],
      ['root_wrong', 'the entries 1 to 27 of head 1'],
      ...treeWrong('checkpoints of heads 1 to 3'),
    ],
  ],
  [
    'the line and hash of an entry changed',
    sqlOf(
      `update callsheet.manifest set line = replace(line, '"size":', '"size":1') where seq = 5`,
      `update callsheet.manifest set hash = sha256(convert_to(line, 'UTF8')) where seq = 5`,
    ),
    [
      ['chain_broken', /^entry 6 /],
      ['record_changed', /^the record .*, entry 5$/],
      ['root_wrong', 'the entries 1 to 27 of head 1'],
      ...treeWrong('checkpoints of heads 1 to 3'),
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
      ['ledger_changed', /entry 21$/],
      ['ledger_changed', /entry 20$/],
      ['root_wrong', 'the entries 1 to 27 of head 1'],
      ...treeWrong('checkpoints of heads 1 to 3'),
    ],
  ],
  [
    'an entry dropped from the middle',
    sqlOf(`delete from callsheet.manifest where seq = 2`),
    [
      ['chain_broken', /^entry 3 /],
      ['entry_missing', 'entry 2'],
      ['record_without_entry', /^the record /],
      ['root_wrong', 'the entries 1 to 27 of head 1'],
      ...treeWrong('checkpoints of heads 1 to 3'),
    ],
  ],
  [
    'the last entry cut off',
    sqlOf(`delete from callsheet.manifest where seq = 29`),
    [
      ['entry_missing', 'entry 29'],
      ['root_wrong', 'the entries 29 to 29 of head 3'],
      ...treeWrong('checkpoint of head 3'),
    ],
  ],
  [
    'the end of the database cut off, entry and head',
    sqlOf(
      `delete from callsheet.manifest where seq = 29`,
      `delete from callsheet.heads where number = 3`,
      `delete from svc.whiteboard_sessions where id = 'latest'`,
      `update callsheet.evidence_marks set run_id = 2`,
    ),
    [
      ['end_cut', 'head 3'],
      ['entry_missing', 'entry 29'],
      ['parts_without_record', 'the record whiteboard_sessions/latest'],
      ['tile_wrong', 'tile 0 of level 0'],
    ],
  ],
  [
    'entries of another account put in',
    sqlOf(`update callsheet.manifest set line = replace(line, '"main"', '"other"') where seq = 29`),
    [
      ['entry_changed', /^entry 29 /],
      ['other_account', /^entry 29 /],
      ['root_wrong', 'entry 29, the last of head 3'],
      ['root_wrong', 'the entries 29 to 29 of head 3'],
      ...treeWrong('checkpoint of head 3'),
    ],
  ],
]

/** What comes of it where the tree over the entries is another one. */
export function treeWrong(checkpoints: string): Tampered[2] {
  return [
    ['checkpoint_wrong', `the ${checkpoints}`],
    ['tile_wrong', 'tile 0 of level 0'],
  ]
}
