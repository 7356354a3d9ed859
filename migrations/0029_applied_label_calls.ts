import { type Kysely, sql } from 'kysely'

/** The labels of boards are entered with the call that put them there, which nothing did until now. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // 0: entered by hand. The number tells which of two calls was later where the clock stood still.
  'alter table callsheet.applied_labels add column call_id bigint not null default 0',
  'alter table callsheet.applied_labels drop constraint applied_labels_pkey',
  `alter table callsheet.applied_labels
     add primary key (account, whiteboard_id, applied_at, call_id)`,
  // Of a call that an erasure emptied nobody knows any more what it was about.
  `insert into callsheet.applied_labels
     (account, whiteboard_id, call_id, applied_at, classification_id, name, applied_by)
   select account, board, id, ended_at, label, (select l.name from svc.classification_labels l
       where l.account = made.account collate "C" and l.classification_id = made.label collate "C"),
     asked_by
   from (select account, arguments -> 'path' ->> 'whiteboardId' as board, id, ended_at,
       body ->> 'classification_id' as label, asked_by
     from callsheet.calls where state = 'done'
       and operation in ('whiteboard_classification.apply', 'whiteboard_classification.remove')) made
   where board is not null`,
]
