import { type Kysely, sql } from 'kysely'

/**
 * What entries are about. Their lines name it by a commitment; the subject and the commitment's salt lie
 * apart, so that an erasure can remove them and leave the chain. Older lines name their subjects themselves.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // `named` is what the lines say, and `manifest.subject`.
  `create table callsheet.manifest_subjects (
     account text collate "C" not null,
     named text collate "C" not null,
     subject text collate "C" not null,
     salt bytea not null check (length(salt) = 16),
     primary key (account, named)
   )`,
  'create unique index on callsheet.manifest_subjects (account, subject)',
  'revoke all on callsheet.manifest_subjects from public',
]
