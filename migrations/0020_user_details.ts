import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

/** What only the detail of a user tells. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table svc.user_details (
     account text collate "C" not null,
     id text collate "C" not null,
     display_name text,
     role_id text,
     role_name text,
     dept text,
     job_title text,
     company text,
     cost_center text,
     location text,
     timezone text,
     language text,
     cluster text,
     account_number bigint,
     jid text,
     cms_user_id text,
     phone_country text,
     phone_number text,
     pmi bigint,
     use_pmi boolean,
     verified bigint,
     group_ids text[],
     im_group_ids text[],
     login_types jsonb,
     custom_attributes jsonb,
     user_created_at timestamptz,
     created_at timestamptz,
     last_login_time timestamptz,
     last_client_version text,
     ${BOOKKEEPING},
     primary key (account, id)
   )`,
  ...historyBefore60('user_details', 'id'),
  `create table svc.user_phone_numbers (
     account text collate "C" not null,
     user_id text collate "C" not null,
     code text collate "C" not null,
     number text collate "C" not null,
     ordinal bigint not null,
     country text,
     label text,
     verified boolean,
     ${BOOKKEEPING},
     primary key (account, user_id, code, number, ordinal)
   )`,
  ...historyBefore60('user_phone_numbers', 'user_id, code, number, ordinal'),

  `create view report.user_details as select account,
     id, display_name, role_id, role_name, dept, job_title, company, cost_center, location,
     timezone, language, cluster, account_number, jid, cms_user_id, phone_country, phone_number,
     pmi, use_pmi, verified, group_ids, im_group_ids, login_types, custom_attributes,
     user_created_at, created_at, last_login_time, last_client_version
   from svc.user_details where _deleted_at is null`,
  `create view report.user_phone_numbers as select account,
     user_id, code, number, ordinal, country, label, verified
   from svc.user_phone_numbers where _deleted_at is null`,
]
