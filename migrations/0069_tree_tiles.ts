import { type Kysely, sql } from 'kysely'

/**
 * The log as others read it, one tree over all entries of an account: its hashes as tiles, which are only
 * added to, and beside each head the signed state of the tree. Heads of before have none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // A tile comes in parts, each with the head that it was made for. `start` is the place of its first hash.
  `create table callsheet.tree_tiles (
     account text collate "C" not null,
     level smallint not null check (level between 0 and 63),
     tile bigint not null check (tile >= 0),
     start smallint not null check (start between 0 and 255),
     hashes bytea not null
       check (length(hashes) > 0 and length(hashes) % 32 = 0 and start + length(hashes) / 32 <= 256),
     primary key (account, level, tile, start)
   )`,
  `create trigger only_added before update or delete on callsheet.tree_tiles
     for each row execute function callsheet.refuse_change()`,
  `create trigger never_emptied before truncate on callsheet.tree_tiles
     for each statement execute function callsheet.refuse_change()`,
  'revoke all on callsheet.tree_tiles from public',
  'alter table callsheet.heads add column checkpoint text',
]
