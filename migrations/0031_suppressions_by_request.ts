import { type Kysely, sql } from 'kysely'

/**
 * Who is kept out stays so for each request that asks for it: of two persons who share a name one can be let
 * in again without the other. A request that was open then is closed by it, which is told from a done one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `alter table callsheet.suppressions drop constraint suppressions_pkey,
     add primary key (account, token, request_id)`,
  `alter table callsheet.erasure_requests drop constraint erasure_requests_state_check,
     add constraint erasure_requests_state_check
       check (state in ('waiting', 'under_way', 'kept', 'done', 'readmitted'))`,
]
