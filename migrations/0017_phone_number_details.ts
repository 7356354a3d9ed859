import { type Kysely, sql } from 'kysely'

/** What only the detail of a phone number tells. */
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
  `create table svc.phone_number_details (
     account text collate "C" not null,
     id text collate "C" not null,
     number text,
     allocated_product text,
     status text,
     ${BOOKKEEPING},
     primary key (account, id)
   )`,
  ...history('phone_number_details', 'id'),
  `create table svc.phone_number_assignment_details (
     account text collate "C" not null,
     phone_number_id text collate "C" not null,
     assigned_to_type text collate "C" not null,
     assigned_to_id text collate "C" not null,
     source_channel text collate "C" not null,
     ordinal bigint not null,
     assigned_to_name text,
     extension_number text,
     display_number text,
     label text,
     meeting_id text,
     greeting_id text,
     greeting_name text,
     on_hold_music_id text,
     on_hold_music_name text,
     ${BOOKKEEPING},
     primary key (account, phone_number_id, assigned_to_type, assigned_to_id, source_channel, ordinal)
   )`,
  ...history(
    'phone_number_assignment_details',
    'phone_number_id, assigned_to_type, assigned_to_id, source_channel, ordinal',
  ),

  `create view report.phone_number_details as select account,
     id, number, allocated_product, status
   from svc.phone_number_details where _deleted_at is null`,
  `create view report.phone_number_assignment_details as select account,
     phone_number_id, assigned_to_type, assigned_to_id, source_channel, ordinal, assigned_to_name,
     extension_number, display_number, label, meeting_id, greeting_id, greeting_name,
     on_hold_music_id, on_hold_music_name
   from svc.phone_number_assignment_details where _deleted_at is null`,
]
