import { type Kysely, sql } from 'kysely'
import { dataTables } from './frozen/data-tables.ts'

/** Users and their details. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  ...dataTables({
    name: 'users',
    key: 'id',
    columns: `id text, email text, first_name text, last_name text, display_name text, type bigint,
      status text, role_id text, dept text, timezone text, location text, job_title text,
      verified bigint, pmi bigint, use_pmi boolean, user_created_at timestamptz,
      created_at timestamptz, last_login_time timestamptz, last_client_version text`,
  }),
  ...dataTables({
    name: 'user_details',
    key: 'id',
    columns: `id text, display_name text, role_id text, role_name text, dept text, job_title text,
      company text, cost_center text, location text, timezone text, language text, cluster text,
      account_number bigint, jid text, cms_user_id text, phone_country text, phone_number text,
      pmi bigint, use_pmi boolean, verified bigint, group_ids text[], im_group_ids text[],
      login_types jsonb, custom_attributes jsonb, user_created_at timestamptz,
      created_at timestamptz, last_login_time timestamptz, last_client_version text,
      account_id text, pic_url text`,
  }),
  ...dataTables({
    name: 'user_phone_numbers',
    key: 'user_id, code, number, ordinal',
    columns: `user_id text, code text, number text, ordinal bigint, country text, label text,
      verified boolean`,
  }),
]
