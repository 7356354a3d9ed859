import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table svc.sms_consents (
     account text collate "C" not null,
     consent_id text collate "C" not null,
     consent_name text,
     description text,
     account_id text,
     used_number bigint,
     status boolean,
     in_out_bound jsonb,
     create_time timestamptz,
     modify_time timestamptz,
     ${BOOKKEEPING},
     primary key (account, consent_id)
   )`,
  ...historyBefore60('sms_consents', 'consent_id'),
  `create table svc.sms_consent_numbers (
     account text collate "C" not null,
     consent_id text collate "C" not null,
     phone_number_id text collate "C" not null,
     phone_number text,
     account_id text,
     ${BOOKKEEPING},
     primary key (account, consent_id, phone_number_id)
   )`,
  ...historyBefore60('sms_consent_numbers', 'consent_id, phone_number_id'),
  `create table svc.ported_orders (
     account text collate "C" not null,
     order_id text collate "C" not null,
     numbers text[],
     replacing_numbers jsonb,
     status text,
     submission_date_time timestamptz,
     ${BOOKKEEPING},
     primary key (account, order_id)
   )`,
  ...historyBefore60('ported_orders', 'order_id'),
  `create table svc.sip_groups (
     account text collate "C" not null,
     sip_group_id text collate "C" not null,
     display_name text,
     description text,
     send_sip_group_name boolean,
     source_system text,
     sip_trunk_id text,
     sip_trunk_name text,
     sip_trunk_type text,
     ${BOOKKEEPING},
     primary key (account, sip_group_id)
   )`,
  ...historyBefore60('sip_groups', 'sip_group_id'),
  `create table svc.sip_trunks (
     account text collate "C" not null,
     sip_trunk_id text collate "C" not null,
     name text,
     carrier text,
     carrier_account text,
     region text,
     sbc_label text,
     source_system text,
     ${BOOKKEEPING},
     primary key (account, sip_trunk_id)
   )`,
  ...historyBefore60('sip_trunks', 'sip_trunk_id'),

  `create view report.sms_consents as select account,
     consent_id, consent_name, description, account_id, used_number, status, in_out_bound,
     create_time, modify_time
   from svc.sms_consents where _deleted_at is null`,
  `create view report.sms_consent_numbers as select account,
     consent_id, phone_number_id, phone_number, account_id
   from svc.sms_consent_numbers where _deleted_at is null`,
  `create view report.ported_orders as select account,
     order_id, numbers, replacing_numbers, status, submission_date_time
   from svc.ported_orders where _deleted_at is null`,
  `create view report.sip_groups as select account,
     sip_group_id, display_name, description, send_sip_group_name, source_system, sip_trunk_id,
     sip_trunk_name, sip_trunk_type
   from svc.sip_groups where _deleted_at is null`,
  `create view report.sip_trunks as select account,
     sip_trunk_id, name, carrier, carrier_account, region, sbc_label, source_system
   from svc.sip_trunks where _deleted_at is null`,
]
