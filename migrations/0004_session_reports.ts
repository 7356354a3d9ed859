import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table svc.session_reports (
     account text collate "C" not null,
     id text collate "C" not null,
     session_name text,
     session_key text,
     start_time timestamptz,
     end_time timestamptz,
     duration bigint,
     user_count bigint,
     has_voip boolean,
     has_video boolean,
     has_screen_share boolean,
     has_recording boolean,
     has_pstn boolean,
     has_session_summary boolean,
     audio_quality text,
     video_quality text,
     screen_share_quality text,
     ${BOOKKEEPING},
     primary key (account, id)
   )`,
  'create index on svc.session_reports (account, start_time)',
  'create index on svc.session_reports (account, session_key)',
  ...historyBefore60('session_reports', 'id'),
]
