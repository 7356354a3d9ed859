import { type Kysely, sql } from 'kysely'

/** Numbers that provider-exchange partners supply: to this account, and as such a partner. */
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
  `create table svc.peering_numbers (
     account text collate "C" not null,
     phone_number text collate "C" not null,
     sip_trunk_name text,
     status boolean,
     assigned boolean,
     allocated_product text,
     billing_ref_id text,
     message_capability text,
     outbound_cli_share_not_supported boolean,
     outbound_dialer_not_supported boolean,
     service_info text,
     voice_direction text,
     voice_msg_capacity text,
     ${BOOKKEEPING},
     primary key (account, phone_number)
   )`,
  ...history('peering_numbers', 'phone_number'),
  `create table svc.carrier_peering_numbers (
     account text collate "C" not null,
     phone_number text collate "C" not null,
     sip_trunk_name text,
     status boolean,
     assigned boolean,
     allocated_product text,
     billing_ref_id text,
     message_capability text,
     outbound_cli_share_not_supported boolean,
     outbound_dialer_not_supported boolean,
     service_info text,
     voice_direction text,
     voice_msg_capacity text,
     customer_account_name text,
     customer_account_number text,
     ${BOOKKEEPING},
     primary key (account, phone_number)
   )`,
  ...history('carrier_peering_numbers', 'phone_number'),

  `create view report.peering_numbers as select account,
     phone_number, sip_trunk_name, status, assigned, allocated_product, billing_ref_id,
     message_capability, outbound_cli_share_not_supported, outbound_dialer_not_supported,
     service_info, voice_direction, voice_msg_capacity
   from svc.peering_numbers where _deleted_at is null`,
  `create view report.carrier_peering_numbers as select account,
     phone_number, sip_trunk_name, status, assigned, allocated_product, billing_ref_id,
     message_capability, outbound_cli_share_not_supported, outbound_dialer_not_supported,
     service_info, voice_direction, voice_msg_capacity, customer_account_name,
     customer_account_number
   from svc.carrier_peering_numbers where _deleted_at is null`,
]
