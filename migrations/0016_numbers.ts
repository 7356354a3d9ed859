import { type Kysely, sql } from 'kysely'
import { dataTables } from './frozen/data-tables.ts'

/** Phone numbers, their assignments and their settings. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  ...dataTables({
    name: 'phone_numbers',
    key: 'id',
    columns: `id text, number text, allocated_product text, number_type text, source text, status text,
      display_name text, caller_id_name text, capability text[], carrier_code bigint,
      carrier_name text, emergency_address jsonb, emergency_address_update_time timestamptz,
      address_update_required boolean, location_city text, location_country text,
      location_state text, site_id text, site_name text, sip_group_id text, sip_group_name text`,
  }),
  ...dataTables({
    name: 'phone_number_assignments',
    key: 'phone_number_id, assigned_to_type, assigned_to_id, source_channel, ordinal',
    columns: `phone_number_id text, assigned_to_type text, assigned_to_id text, source_channel text,
      ordinal bigint, assigned_to_name text, extension_number text`,
  }),
  ...dataTables({
    name: 'phone_number_details',
    key: 'id',
    columns: `id text, number text, allocated_product text, status text`,
  }),
  ...dataTables({
    name: 'phone_number_assignment_details',
    key: 'phone_number_id, assigned_to_type, assigned_to_id, source_channel, ordinal',
    columns: `phone_number_id text, assigned_to_type text, assigned_to_id text, source_channel text,
      ordinal bigint, assigned_to_name text, extension_number text, display_number text,
      label text, meeting_id text, greeting_id text, greeting_name text, on_hold_music_id text,
      on_hold_music_name text`,
  }),
  ...dataTables({
    name: 'sms_consents',
    key: 'consent_id',
    columns: `consent_id text, consent_name text, description text, account_id text, used_number bigint,
      status boolean, in_out_bound jsonb, create_time timestamptz, modify_time timestamptz`,
  }),
  ...dataTables({
    name: 'sms_consent_details',
    key: 'consent_id',
    columns: `consent_id text, user_id text, capacity bigint`,
  }),
  ...dataTables({
    name: 'sms_consent_numbers',
    key: 'consent_id, phone_number_id',
    columns: `consent_id text, phone_number_id text, phone_number text, account_id text`,
  }),
  ...dataTables({
    name: 'sip_groups',
    key: 'sip_group_id',
    columns: `sip_group_id text, display_name text, description text, send_sip_group_name boolean,
      source_system text, sip_trunk_id text, sip_trunk_name text, sip_trunk_type text`,
  }),
  ...dataTables({
    name: 'sip_trunks',
    key: 'sip_trunk_id',
    columns: `sip_trunk_id text, name text, carrier text, carrier_account text, region text,
      sbc_label text, source_system text`,
  }),
  ...dataTables({
    name: 'ported_orders',
    key: 'order_id',
    columns: `order_id text, numbers text[], replacing_numbers jsonb, status text,
      submission_date_time timestamptz`,
  }),
  ...dataTables({
    name: 'ported_order_details',
    key: 'order_id',
    columns: `order_id text, contact_emails text[], contact_number text, isp text, printed_name text,
      billing_account_number text, billing_address jsonb, authorizing_person text,
      billing_telephone_number text, billing_company text, customer_requested_date text`,
  }),
  ...dataTables({
    name: 'peering_numbers',
    key: 'phone_number',
    columns: `phone_number text, sip_trunk_name text, status boolean, assigned boolean,
      allocated_product text, billing_ref_id text, message_capability text,
      outbound_cli_share_not_supported boolean, outbound_dialer_not_supported boolean,
      service_info text, voice_direction text, voice_msg_capacity text`,
  }),
  ...dataTables({
    name: 'carrier_peering_numbers',
    key: 'phone_number',
    columns: `phone_number text, sip_trunk_name text, status boolean, assigned boolean,
      allocated_product text, billing_ref_id text, message_capability text,
      outbound_cli_share_not_supported boolean, outbound_dialer_not_supported boolean,
      service_info text, voice_direction text, voice_msg_capacity text,
      customer_account_name text, customer_account_number text`,
  }),
]
