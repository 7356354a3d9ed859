import { type Kysely, sql } from 'kysely'

/**
 * What was told of each cause on each channel, and on which days the dead man's switch was pinged. A claim
 * keeps a second process from sending what the first one is sending; it runs out, as its process may die.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table callsheet.alerts (
     channel text collate "C" not null,
     cause text collate "C" not null,
     account text collate "C",
     code text not null,
     subject text not null,
     level text not null check (level in ('red', 'amber')),
     sentence text not null,
     todo text not null,
     since timestamptz not null,
     told_level text check (told_level in ('red', 'amber')),
     first_told_at timestamptz,
     last_told_at timestamptz,
     recovered_at timestamptz,
     attempts integer not null default 0,
     last_error text,
     claim text,
     claimed_until timestamptz,
     primary key (channel, cause)
   )`,
  `create table callsheet.pings (
     day date primary key,
     sent_at timestamptz,
     attempts integer not null default 0,
     last_error text,
     claim text,
     claimed_until timestamptz
   )`,
]
