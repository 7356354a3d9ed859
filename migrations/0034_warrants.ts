import { type Kysely, sql } from 'kysely'

/**
 * What explains entries that take something away: whoever made them vouched for them with a key that lies
 * outside the database. Only added to, as what they speak of is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // Of the entries from one to another, which one transaction made. Each names the hash of the one before,
  // so the signature over that of the last is one over all of them.
  `create table callsheet.entry_warrants (
     account text collate "C" not null,
     first_seq bigint not null,
     last_seq bigint not null check (last_seq >= first_seq),
     basis text not null,
     signature bytea not null check (length(signature) = 64),
     primary key (account, last_seq, first_seq)
   )`,
  `create trigger only_added before update or delete on callsheet.entry_warrants
     for each row execute function callsheet.refuse_change()`,
  `create trigger never_emptied before truncate on callsheet.entry_warrants
     for each statement execute function callsheet.refuse_change()`,
  'revoke all on callsheet.entry_warrants from public',
  // By who made it: 64 bytes with the key of the evidence, 32 with what notifications are signed with.
  `alter table callsheet.erasure_requests add column proof bytea
     check (length(proof) in (32, 64))`,
]
