import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const BOOKKEEPING = `_raw jsonb not null,
     _bytes bytea,
     _hash bytea not null,
     _first_seen_at timestamptz not null,
     _changed_at timestamptz not null,
     _deleted_at timestamptz,
     _run_id bigint not null`

/**
 * Ended versions, partitioned by the month in which they ended. A version has no key: a row may end twice
 * in a run.
 */
const history = (table: string, key: string): string[] => [
  `create table history.${table} (
     like svc.${table},
     _valid_from timestamptz not null,
     _valid_to timestamptz not null,
     _ended_by_run bigint not null,
     _end text not null check (_end in ('changed', 'gone'))
   ) partition by range (_valid_to)`,
  `create table history.${table}_default partition of history.${table} default`,
  `create index on history.${table} (account, ${key}, _valid_to)`,
]

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
  ...history('users', 'id'),
]
