import { type Kysely, sql } from 'kysely'

/**
 * When the service first said itself that it no longer has a file, and to which run: one word is not enough
 * to write a file off. What was written off on one word is wanted again where its list still shows it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** A file that the service never offered is no incident, and stays as it is. */
const wantedAgain = (kind: string, listed: string) =>
  `update callsheet.files f set state = 'pending', reason = null, state_at = callsheet.clock()
     where kind = '${kind}' and coalesce(expires_at > callsheet.clock(), true)
       and (state = 'refused' or (state = 'missing' and exists (
         select 1 from callsheet.incidents i where i.account = f.account and i.kind = 'missing'
           and i.subject = f.kind || ':' || f.parent || ':' || f.item)))
       and (${listed})`

const listedIn = (table: string, parent: string, item: string) =>
  `exists (select 1 from svc.${table} r where r.account = f.account and r.${parent} = f.parent
     and ${item} = f.item and r._deleted_at is null)`

const fileKey = `r.file_key || case when r.ordinal = 0 then '' else '#' || r.ordinal end`

const STATEMENTS = [
  `alter table callsheet.files add column absent_since timestamptz, add column absent_run_id bigint,
     add check ((absent_since is null) = (absent_run_id is null))`,
  wantedAgain('activity', listedIn('whiteboard_activities', 'session_id', 'r.id')),
  wantedAgain(
    'recording',
    `${listedIn('recording_files', 'session_id', fileKey)} or ${listedIn(
      'recording_participant_files',
      'session_id',
      fileKey,
    )}`,
  ),
]
