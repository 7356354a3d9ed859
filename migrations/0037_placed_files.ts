import { type Kysely, sql } from 'kysely'

/**
 * What was put where, entered before it is: a file of that content in that place is ours and may be replaced,
 * any other is somebody's. What was published before is known from the publications.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table callsheet.placed_files (
     account text collate "C" not null,
     path text collate "C" not null,
     sha256 text collate "C" not null,
     placed_at timestamptz not null
   )`,
  // By the content alone: a path may be longer than an index takes.
  'create index on callsheet.placed_files (sha256)',
  `insert into callsheet.placed_files (account, path, sha256, placed_at)
   select account, f->>'path', f->>'sha256', published_at
   from callsheet.published_reports cross join lateral jsonb_array_elements(files) f
   where f->>'erased' is null`,
]
