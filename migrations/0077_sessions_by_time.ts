import { type Kysely, sql } from 'kysely'

/**
 * What reports count of sessions lies in the index of their times, so that a month is counted from the index
 * alone: the rows with their payloads are some six times as large.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create index session_reports_by_time on svc.session_reports (account, start_time)
     include (end_time, duration, user_count, session_key, has_voip, has_video, has_screen_share,
       has_recording, has_pstn, has_session_summary, audio_quality, video_quality, screen_share_quality,
       _deleted_at, _run_id)`,
  'drop index svc.session_reports_account_start_time_idx',
]
