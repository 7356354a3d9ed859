import { type Kysely, sql } from 'kysely'

/**
 * What a database that was restored from a backup is recognised by, and what is done about it: the marks that
 * machines keep a note of outside the database, and the breaks in the chain of heads that a key holder has
 * entered.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // One row for each time that a process took the account over. A mark that a machine has noted and that is
  // missing here was written after the backup that this database was restored from.
  `create table callsheet.lineage (
     account text collate "C" not null,
     epoch bigint not null,
     mark uuid not null,
     at timestamptz not null,
     primary key (account, epoch, mark)
   )`,
  `create table callsheet.head_breaks (
     account text collate "C" not null,
     after bigint not null,
     upto bigint not null check (upto > after),
     line text not null,
     signature bytea not null check (length(signature) = 64),
     public_key bytea not null,
     primary key (account, after, upto)
   )`,
  'alter table callsheet.incidents drop constraint incidents_kind_check',
  `alter table callsheet.incidents add constraint incidents_kind_check check (kind in
     ('expired_before_download', 'refused', 'missing', 'database_restored'))`,
]
