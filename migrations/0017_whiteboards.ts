import { type Kysely, sql } from 'kysely'
import { dataTables } from './frozen/data-tables.ts'

/** Whiteboards, their collaborators, their labels, and the archive of their sessions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  ...dataTables({
    name: 'whiteboards',
    key: 'whiteboard_id',
    day: 'created_date',
    columns: `whiteboard_id text, whiteboard_name text, created_by_display_name text,
      created_date timestamptz, modified_date timestamptz, project_id text, locked boolean,
      readonly boolean, trashed boolean, non_cloud boolean, share_scope bigint, share_role bigint,
      can_share boolean, external_can_share boolean, share_to_external boolean`,
  }),
  // Covers the fingerprints of a window, so that its rows need not be read.
  `create index on svc.whiteboards (account, created_date)
     include (whiteboard_id, _hash, _deleted_at, _first_seen_at)`,
  // The service silently returns at most 1000 per board: a list of this length may be incomplete.
  ...dataTables({
    name: 'whiteboard_collaborators',
    key: 'whiteboard_id, collaborator_id',
    columns: `whiteboard_id text, collaborator_id text, collaborator_name text, collaborator_type bigint,
      role bigint, user_id text, email text, channel_id text, avatar text`,
    view: 'count(*) over (partition by account, whiteboard_id) >= 1000 as possibly_truncated',
  }),
  ...dataTables({
    name: 'whiteboard_content',
    key: 'whiteboard_id',
    columns: `whiteboard_id text, page_id text, object_count bigint, possibly_truncated boolean`,
  }),
  ...dataTables({
    name: 'classification_labels',
    key: 'classification_id',
    columns: `classification_id text, name text, description text, color text, sensitivity_level bigint,
      guideline_url text, is_default boolean, create_time timestamptz, modify_time timestamptz,
      whiteboard_count bigint`,
  }),

  ...dataTables({
    name: 'whiteboard_sessions',
    key: 'id',
    day: 'start_time',
    columns: `id text, start_time timestamptz, end_time timestamptz, expire_time timestamptz,
      whiteboard_id text, whiteboard_name text`,
    view: `case when expire_time <= callsheet.clock() then 'expired' else 'present' end as state`,
  }),
  `create index on svc.whiteboard_sessions (account, start_time)
     include (id, _hash, _deleted_at, _first_seen_at)`,
  ...dataTables({
    name: 'whiteboard_participants',
    key: 'session_id, user_id, user_name, join_whiteboard_time, ordinal',
    columns: `session_id text, user_id text, user_name text, join_whiteboard_time text, ordinal bigint,
      email text, joined_at timestamptz, leave_whiteboard_time timestamptz`,
  }),
  ...dataTables({
    name: 'whiteboard_activities',
    key: 'session_id, id',
    columns: `session_id text, id text, type text, create_time timestamptz, user_id text,
      collaborator_id text, collaborator_name text, email text, content text, object_ids text[]`,
  }),
  // An audit reads a few weeks of an ever-growing archive: without this index it would read the whole table,
  // including payloads, for each of its sheets.
  'create index on svc.whiteboard_activities (account, create_time)',
  // These find the audited records that a run wrote.
  'create index on svc.whiteboard_sessions (account, _run_id)',
  'create index on svc.whiteboard_activities (account, _run_id)',
  'create index on history.whiteboard_sessions (account, _run_id)',
  'create index on history.whiteboard_activities (account, _run_id)',
]
