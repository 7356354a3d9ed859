import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

/** Numbers that provider-exchange partners supply: to this account, and as such a partner. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

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
  ...historyBefore60('peering_numbers', 'phone_number'),
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
  ...historyBefore60('carrier_peering_numbers', 'phone_number'),

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
