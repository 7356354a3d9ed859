import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table svc.phone_numbers (
     account text collate "C" not null,
     id text collate "C" not null,
     number text,
     allocated_product text,
     number_type text,
     source text,
     status text,
     display_name text,
     caller_id_name text,
     capability text[],
     carrier_code bigint,
     carrier_name text,
     emergency_address jsonb,
     emergency_address_update_time timestamptz,
     address_update_required boolean,
     location_city text,
     location_country text,
     location_state text,
     site_id text,
     site_name text,
     sip_group_id text,
     sip_group_name text,
     ${BOOKKEEPING},
     primary key (account, id)
   )`,
  ...historyBefore60('phone_numbers', 'id'),
  `create table svc.phone_number_assignments (
     account text collate "C" not null,
     phone_number_id text collate "C" not null,
     assigned_to_type text collate "C" not null,
     assigned_to_id text collate "C" not null,
     source_channel text collate "C" not null,
     ordinal bigint not null,
     assigned_to_name text,
     extension_number text,
     ${BOOKKEEPING},
     primary key (account, phone_number_id, assigned_to_type, assigned_to_id, source_channel, ordinal)
   )`,
  ...historyBefore60(
    'phone_number_assignments',
    'phone_number_id, assigned_to_type, assigned_to_id, source_channel, ordinal',
  ),
]
