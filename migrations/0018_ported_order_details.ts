import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

/** What only the detail of a ported order tells; its `pin` is not among it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

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
  ...historyBefore60('ported_order_details', 'order_id'),

  `create view report.ported_order_details as select account,
     order_id, contact_emails, contact_number, isp, printed_name, billing_account_number,
     billing_address, authorizing_person, billing_telephone_number, billing_company,
     customer_requested_date
   from svc.ported_order_details where _deleted_at is null`,
]
