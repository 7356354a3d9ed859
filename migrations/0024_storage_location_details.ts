import { type Kysely, sql } from 'kysely'

/** Whether the service reaches the buckets of the customer’s own. */
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
  `create table svc.storage_location_details (
     account text collate "C" not null,
     id text collate "C" not null,
     verify_status text,
     ${BOOKKEEPING},
     primary key (account, id)
   )`,
  ...history('storage_location_details', 'id'),

  `create view report.storage_location_details as select account, id, verify_status
   from svc.storage_location_details where _deleted_at is null`,
]
