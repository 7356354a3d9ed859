import { type Kysely, sql } from 'kysely'

/**
 * How an account's service reads what its documents leave open, where an answer showed it. The newest
 * finding of a reading holds.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table callsheet.found_readings (
     account text not null,
     reading text not null,
     variant text not null,
     shown_by text not null,
     found_at timestamptz not null default callsheet.clock(),
     primary key (account, reading)
   )`,
]
