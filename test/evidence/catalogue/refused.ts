import type { DatabaseRole } from '../../helpers/cast-stage.ts'

/** Statements that the database refuses to a role without a grant. */
export const REFUSED: Readonly<
  Partial<Record<DatabaseRole, readonly (readonly [string, string])[]>>
> = {
  writer: [
    ['a record deleted', `delete from svc.whiteboard_activities where id = 'a-1'`],
    ['a previous version changed', `update history.whiteboard_activities set content = 'x'`],
    ['a previous version deleted', 'delete from history.whiteboard_activities'],
    ['a file deleted from the ledger', 'delete from callsheet.files'],
    ['an entry changed', `update callsheet.manifest set line = 'x' where seq = 1`],
    ['an entry deleted', 'delete from callsheet.manifest where seq = 1'],
    ['a salt deleted', 'update callsheet.manifest set salt = null where seq = 1'],
    ['the subject of an entry changed', `update callsheet.manifest set about = 'x'`],
    ['the subject of an entry deleted', 'update callsheet.manifest set about = null'],
    ['a salt replaced', `update callsheet.manifest set salt = 'sixteen-bytes-16'`],
    ['a checkpoint changed', `update callsheet.checkpoints set note = 'x' where size = 1`],
    ['the mark of a checkpoint advanced', 'update callsheet.checkpoints set mark = 1000'],
    ['a checkpoint deleted', 'delete from callsheet.checkpoints where size = 3'],
    ['checkpoints truncated', 'truncate callsheet.checkpoints'],
    ['a tile changed', `update callsheet.tree_tiles set hashes = hashes || hashes`],
    ['a tile deleted', 'delete from callsheet.tree_tiles'],
    ['a voucher of the key deleted', 'update callsheet.manifest set word = null'],
    ['a time stamp or cosignature deleted', 'delete from callsheet.marks'],
    ['a slice changed to complete', `update callsheet.slices set state = 'complete'`],
    ['a slice deleted', 'delete from callsheet.slices'],
    ['a run deleted', 'delete from callsheet.runs'],
    ['a release deleted', 'delete from callsheet.deletion_guards'],
    ['a hold deleted', 'delete from callsheet.holds'],
    ['an incident changed', `update callsheet.incidents set detail = 'x'`],
    ['an incident deleted', 'delete from callsheet.incidents'],
    [
      'the retention of the ledger extended',
      `update callsheet.retention set kept_from = '2000-01-01'`,
    ],
    [
      'a person suppressed',
      `insert into callsheet.suppressions (account, token, counts, since)
        values ('main', 'x', 'person', now())`,
    ],
    ['the triggers disabled', 'alter table callsheet.manifest disable trigger user'],
    ['the triggers bypassed', 'set session_replication_role = replica'],
  ],
  eraser: [
    [
      'a record inserted',
      `insert into svc.whiteboard_sessions (account, id, _raw, _hash, _first_seen_at,
        _changed_at, _run_id) values ('main', 'x', '{}', '', now(), now(), 1)`,
    ],
    [
      'a previous version inserted',
      `insert into history.whiteboard_activities
        select * from history.whiteboard_activities`,
    ],
    ['an entry changed', `update callsheet.manifest set line = 'x' where seq = 1`],
    ['an entry deleted', 'delete from callsheet.manifest where seq = 1'],
    ['a checkpoint changed', `update callsheet.checkpoints set note = 'x' where size = 1`],
    ['a checkpoint deleted', 'delete from callsheet.checkpoints where size = 3'],
    ['a tile deleted', 'delete from callsheet.tree_tiles'],
    ['a voucher of the key deleted', 'update callsheet.manifest set word = null'],
    ['a salt replaced', `update callsheet.manifest set salt = 'sixteen-bytes-16' where seq = 1`],
    ['the subject of an entry changed', `update callsheet.manifest set about = 'x' where seq = 1`],
    [
      'a line changed together with a deleted salt',
      `update callsheet.manifest set salt = null, line = 'x' where seq = 1`,
    ],
    ['a time stamp or cosignature deleted', 'delete from callsheet.marks'],
    [
      'the retention of the ledger extended',
      `update callsheet.retention set kept_from = '2000-01-01'`,
    ],
    ['the triggers disabled', 'alter table callsheet.checkpoints disable trigger user'],
  ],
  receiver: [
    ['a record changed', `update svc.whiteboard_activities set content = 'x'`],
    [
      'an entry added',
      `insert into callsheet.manifest values ('main', 99, 'record', 'x', 'x', 'x')`,
    ],
    ['a checkpoint deleted', 'delete from callsheet.checkpoints'],
    ['a slice inserted', `insert into callsheet.slices (account) values ('main')`],
    ['an erasure request changed', 'update callsheet.erasure_requests set due_at = now()'],
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
    ['a report view replaced', 'create view report.mine as select 1'],
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
