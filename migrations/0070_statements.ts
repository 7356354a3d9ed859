import { type Kysely, sql } from 'kysely'

/**
 * What the ledgers say is stated in the manifest, and so under the heads: the slices of a batch together, and
 * each run, hold, release and incident. A slice from before, or one that was read while no evidence was kept,
 * has no batch.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  'alter table callsheet.manifest drop constraint manifest_kind_check',
  `alter table callsheet.manifest add constraint manifest_kind_check
     check (kind in ('file', 'record', 'removal', 'erasure', 'statement'))`,
  'alter table callsheet.slices add column batch integer',
]
