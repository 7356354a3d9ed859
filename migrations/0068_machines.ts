import { type Kysely, sql } from 'kysely'

/**
 * The processes that share the work of an engine, and digests of what they must have in common. A digest is
 * keyed with the key that it tells of, so nobody learns a key from it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table callsheet.machines (
     host text not null,
     pid bigint not null,
     started_at timestamptz not null,
     seen_at timestamptz not null,
     token_key text not null,
     evidence_key text,
     store text not null,
     store_is_folder boolean not null,
     primary key (host, pid)
   )`,
]
