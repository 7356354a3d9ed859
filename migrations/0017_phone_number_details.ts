import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

/** What only the detail of a phone number tells. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

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
  ...historyBefore60('phone_number_details', 'id'),
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
  ...historyBefore60(
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
