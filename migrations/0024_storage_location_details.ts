import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

/** Whether the service reaches the buckets of the customer’s own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table svc.storage_location_details (
     account text collate "C" not null,
     id text collate "C" not null,
     verify_status text,
     ${BOOKKEEPING},
     primary key (account, id)
   )`,
  ...historyBefore60('storage_location_details', 'id'),

  `create view report.storage_location_details as select account, id, verify_status
   from svc.storage_location_details where _deleted_at is null`,
]
