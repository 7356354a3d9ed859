import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table svc.users (
     account text collate "C" not null,
     id text collate "C" not null,
     email text,
     first_name text,
     last_name text,
     display_name text,
     type bigint,
     status text,
     role_id text,
     dept text,
     timezone text,
     location text,
     job_title text,
     verified bigint,
     pmi bigint,
     use_pmi boolean,
     user_created_at timestamptz,
     created_at timestamptz,
     last_login_time timestamptz,
     last_client_version text,
     ${BOOKKEEPING},
     primary key (account, id)
   )`,
  ...historyBefore60('users', 'id'),
]
