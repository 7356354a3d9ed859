import { type Kysely, sql } from 'kysely'

/**
 * What a time stamp needs to be checked when its service is gone, when it ends, and later stamps that
 * confirm those that end.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `alter table callsheet.anchors
     add column chain text,
     add column covers text,
     add column ends_at timestamptz,
     drop constraint anchors_kind_check,
     add constraint anchors_kind_check check (kind in ('rfc3161', 'locked_object', 'renewal')),
     add constraint anchors_covers_check check ((kind = 'renewal') = (covers is not null))`,
]
