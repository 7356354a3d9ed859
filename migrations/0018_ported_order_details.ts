import { type Kysely, sql } from 'kysely'

/** What only the detail of a ported order tells; its `pin` is not among it. */
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
  `create table svc.ported_order_details (
     account text collate "C" not null,
     order_id text collate "C" not null,
     contact_emails text[],
     contact_number text,
     isp text,
     printed_name text,
     billing_account_number text,
     billing_address jsonb,
     authorizing_person text,
     billing_telephone_number text,
     billing_company text,
     customer_requested_date text,
     ${BOOKKEEPING},
     primary key (account, order_id)
   )`,
  ...history('ported_order_details', 'order_id'),

  `create view report.ported_order_details as select account,
     order_id, contact_emails, contact_number, isp, printed_name, billing_account_number,
     billing_address, authorizing_person, billing_telephone_number, billing_company,
     customer_requested_date
   from svc.ported_order_details where _deleted_at is null`,
]
