import { type Kysely, sql } from 'kysely'

/**
 * What is audited, as the configuration said it: which streams are read, how often and how far back, which
 * files are kept, and how long. One row for each change, which the manifest states.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table callsheet.audit_settings (
     id bigint generated always as identity primary key,
     account text collate "C" not null,
     at timestamptz not null,
     noted_by text not null,
     settings jsonb not null
   )`,
  'create index audit_settings_newest on callsheet.audit_settings (account, id desc)',
  `create trigger only_added before update or delete on callsheet.audit_settings
     for each row execute function callsheet.refuse_change()`,
  `create trigger never_emptied before truncate on callsheet.audit_settings
     for each statement execute function callsheet.refuse_change()`,
  'revoke all on callsheet.audit_settings from public',
]
