import { type Kysely, sql } from 'kysely'

/** Revokes public access to all of Callsheet's schemas. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  'revoke all on schema callsheet, svc, history, report from public',
  'revoke all on all tables in schema callsheet, svc, history, report from public',
  'revoke all on all functions in schema callsheet, svc, history, report from public',
]
