import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table svc.whiteboard_sessions (
     account text collate "C" not null,
     id text collate "C" not null,
     start_time timestamptz,
     end_time timestamptz,
     expire_time timestamptz,
     whiteboard_id text,
     whiteboard_name text,
     ${BOOKKEEPING},
     primary key (account, id)
   )`,
  'create index on svc.whiteboard_sessions (account, start_time)',
  ...historyBefore60('whiteboard_sessions', 'id'),
  `create table svc.whiteboard_participants (
     account text collate "C" not null,
     session_id text collate "C" not null,
     user_id text collate "C" not null,
     user_name text collate "C" not null,
     join_whiteboard_time text collate "C" not null,
     ordinal bigint not null,
     email text,
     joined_at timestamptz,
     leave_whiteboard_time timestamptz,
     ${BOOKKEEPING},
     primary key (account, session_id, user_id, user_name, join_whiteboard_time, ordinal)
   )`,
  ...historyBefore60(
    'whiteboard_participants',
    'session_id, user_id, user_name, join_whiteboard_time, ordinal',
  ),
  `create table svc.whiteboard_activities (
     account text collate "C" not null,
     session_id text collate "C" not null,
     id text collate "C" not null,
     type text,
     create_time timestamptz,
     user_id text,
     collaborator_id text,
     collaborator_name text,
     email text,
     content text,
     object_ids text[],
     ${BOOKKEEPING},
     primary key (account, session_id, id)
   )`,
  ...historyBefore60('whiteboard_activities', 'session_id, id'),
]
