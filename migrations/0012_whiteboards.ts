import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

/** Whiteboards, who may open them, their first pages, and the classification labels. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // The version of the parent that a slice was read at, and whether its list is as long as the service shows
  // at most, so that more may exist.
  `alter table callsheet.slices
     add column version text,
     add column possibly_truncated boolean not null default false`,

  `create table svc.whiteboards (
     account text collate "C" not null,
     whiteboard_id text collate "C" not null,
     whiteboard_name text,
     created_by_display_name text,
     created_date timestamptz,
     modified_date timestamptz,
     project_id text,
     locked boolean,
     readonly boolean,
     trashed boolean,
     non_cloud boolean,
     share_scope bigint,
     share_role bigint,
     can_share boolean,
     external_can_share boolean,
     share_to_external boolean,
     ${BOOKKEEPING},
     primary key (account, whiteboard_id)
   )`,
  'create index on svc.whiteboards (account, created_date)',
  ...historyBefore60('whiteboards', 'whiteboard_id'),
  `create table svc.whiteboard_collaborators (
     account text collate "C" not null,
     whiteboard_id text collate "C" not null,
     collaborator_id text collate "C" not null,
     collaborator_name text,
     collaborator_type bigint,
     role bigint,
     user_id text,
     email text,
     channel_id text,
     ${BOOKKEEPING},
     primary key (account, whiteboard_id, collaborator_id)
   )`,
  ...historyBefore60('whiteboard_collaborators', 'whiteboard_id, collaborator_id'),
  `create table svc.whiteboard_content (
     account text collate "C" not null,
     whiteboard_id text collate "C" not null,
     page_id text,
     object_count bigint,
     possibly_truncated boolean,
     ${BOOKKEEPING},
     primary key (account, whiteboard_id)
   )`,
  ...historyBefore60('whiteboard_content', 'whiteboard_id'),
  `create table svc.classification_labels (
     account text collate "C" not null,
     classification_id text collate "C" not null,
     name text,
     description text,
     color text,
     sensitivity_level bigint,
     guideline_url text,
     is_default boolean,
     create_time timestamptz,
     modify_time timestamptz,
     whiteboard_count bigint,
     ${BOOKKEEPING},
     primary key (account, classification_id)
   )`,
  ...historyBefore60('classification_labels', 'classification_id'),

  `create view report.whiteboards as select account,
     whiteboard_id, whiteboard_name, created_by_display_name, created_date, modified_date,
     project_id, locked, readonly, trashed, non_cloud, share_scope, share_role, can_share,
     external_can_share, share_to_external
   from svc.whiteboards where _deleted_at is null`,
  // The service shows 1000 of a board at most, without a word: a list of this length may lack some.
  `create view report.whiteboard_collaborators as select account,
     whiteboard_id, collaborator_id, collaborator_name, collaborator_type, role, user_id, email,
     channel_id, count(*) over (partition by account, whiteboard_id) >= 1000 as possibly_truncated
   from svc.whiteboard_collaborators where _deleted_at is null`,
  `create view report.whiteboard_content as select account,
     whiteboard_id, page_id, object_count, possibly_truncated
   from svc.whiteboard_content where _deleted_at is null`,
  `create view report.classification_labels as select account,
     classification_id, name, description, color, sensitivity_level, guideline_url, is_default,
     create_time, modify_time, whiteboard_count
   from svc.classification_labels where _deleted_at is null`,
]
