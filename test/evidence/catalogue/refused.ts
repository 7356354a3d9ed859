import type { DatabaseRole } from '../../helpers/cast-stage.ts'

/** Statements that the database refuses to a role without a grant. */
export const REFUSED: Readonly<
  Partial<Record<DatabaseRole, readonly (readonly [string, string])[]>>
> = {
  writer: [
    ['a record deleted', `delete from svc.whiteboard_activities where id = 'a-1'`],
    ['a version of before changed', `update history.whiteboard_activities set content = 'x'`],
    ['a version of before deleted', 'delete from history.whiteboard_activities'],
    ['a file struck from the ledger', 'delete from callsheet.files'],
    ['an entry changed', `update callsheet.manifest set line = 'x' where seq = 1`],
    ['an entry deleted', 'delete from callsheet.manifest where seq = 1'],
    ['a salt deleted', 'update callsheet.manifest set salt = null where seq = 1'],
    ['what an entry is about changed', `update callsheet.manifest set about = 'x'`],
    ['what an entry is about taken', 'update callsheet.manifest set about = null'],
    ['a salt exchanged', `update callsheet.manifest set salt = 'sixteen-bytes-16'`],
    ['a checkpoint changed', `update callsheet.checkpoints set note = 'x' where size = 1`],
    ['the mark of a checkpoint set on', 'update callsheet.checkpoints set mark = 1000'],
    ['a checkpoint deleted', 'delete from callsheet.checkpoints where size = 3'],
    ['checkpoints emptied', 'truncate callsheet.checkpoints'],
    ['a tile changed', `update callsheet.tree_tiles set hashes = hashes || hashes`],
    ['a tile deleted', 'delete from callsheet.tree_tiles'],
    ['a word of the key taken', 'update callsheet.manifest set word = null'],
    ['a time stamp or a cosignature taken', 'delete from callsheet.marks'],
    ['a slice called complete', `update callsheet.slices set state = 'complete'`],
    ['a slice deleted', 'delete from callsheet.slices'],
    ['a run deleted', 'delete from callsheet.runs'],
    ['a release deleted', 'delete from callsheet.deletion_guards'],
    ['a hold deleted', 'delete from callsheet.holds'],
    ['an incident changed', `update callsheet.incidents set detail = 'x'`],
    ['an incident deleted', 'delete from callsheet.incidents'],
    [
      'the ledger said to be kept for longer',
      `update callsheet.retention set kept_from = '2000-01-01'`,
    ],
    [
      'a person kept out',
      `insert into callsheet.suppressions (account, token, counts, since)
        values ('main', 'x', 'person', now())`,
    ],
    ['the guards turned off', 'alter table callsheet.manifest disable trigger user'],
    ['the guards passed by', 'set session_replication_role = replica'],
  ],
  eraser: [
    [
      'a record put in',
      `insert into svc.whiteboard_sessions (account, id, _raw, _hash, _first_seen_at,
        _changed_at, _run_id) values ('main', 'x', '{}', '', now(), now(), 1)`,
    ],
    [
      'a version of before put in',
      `insert into history.whiteboard_activities
        select * from history.whiteboard_activities`,
    ],
    ['an entry changed', `update callsheet.manifest set line = 'x' where seq = 1`],
    ['an entry deleted', 'delete from callsheet.manifest where seq = 1'],
    ['a checkpoint changed', `update callsheet.checkpoints set note = 'x' where size = 1`],
    ['a checkpoint deleted', 'delete from callsheet.checkpoints where size = 3'],
    ['a tile deleted', 'delete from callsheet.tree_tiles'],
    ['a word of the key taken', 'update callsheet.manifest set word = null'],
    ['a salt exchanged', `update callsheet.manifest set salt = 'sixteen-bytes-16' where seq = 1`],
    ['what an entry is about changed', `update callsheet.manifest set about = 'x' where seq = 1`],
    [
      'a line changed along with a salt that is taken',
      `update callsheet.manifest set salt = null, line = 'x' where seq = 1`,
    ],
    ['a time stamp or a cosignature taken', 'delete from callsheet.marks'],
    [
      'the ledger said to be kept for longer',
      `update callsheet.retention set kept_from = '2000-01-01'`,
    ],
    ['the guards turned off', 'alter table callsheet.checkpoints disable trigger user'],
  ],
  receiver: [
    ['a record changed', `update svc.whiteboard_activities set content = 'x'`],
    [
      'an entry added',
      `insert into callsheet.manifest values ('main', 99, 'record', 'x', 'x', 'x')`,
    ],
    ['a checkpoint deleted', 'delete from callsheet.checkpoints'],
    ['a slice put in', `insert into callsheet.slices (account) values ('main')`],
    ['a request for an erasure changed', 'update callsheet.erasure_requests set due_at = now()'],
    ['a notification deleted', 'delete from callsheet.notifications'],
    ['a salt read', 'select salt from callsheet.manifest'],
  ],
  reporter: [
    ['a record changed', `update svc.whiteboard_activities set content = 'x'`],
    ['a record deleted', 'delete from svc.whiteboard_activities'],
    [
      'an entry added',
      `insert into callsheet.manifest values ('main', 99, 'record', 'x', 'x', 'x')`,
    ],
    ['a view of reports put in the place of another', 'create view report.mine as select 1'],
    ['an entry read', 'select * from callsheet.manifest'],
  ],
  stranger: [
    ['a record read', 'select * from svc.whiteboard_activities'],
    [
      'an entry added',
      `insert into callsheet.manifest values ('main', 99, 'record', 'x', 'x', 'x')`,
    ],
  ],
}
