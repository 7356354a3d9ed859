import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING, historyBefore60 } from './frozen/data-tables.ts'

/** The buckets of the customer’s own that recordings may be kept in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table svc.storage_locations (
     account text collate "C" not null,
     id text collate "C" not null,
     name text,
     provider text,
     authentication_mechanism text,
     bucket text,
     region text,
     selected boolean,
     ${BOOKKEEPING},
     primary key (account, id)
   )`,
  ...historyBefore60('storage_locations', 'id'),

  `create view report.storage_locations as select account,
     id, name, provider, authentication_mechanism, bucket, region, selected
   from svc.storage_locations where _deleted_at is null`,
]
