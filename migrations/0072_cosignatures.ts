import { type Kysely, sql } from 'kysely'

/** What witnesses say of the checkpoints: one line of each for each head that it was asked about. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // `witness` is its verifier key, which is its name and its key; `line` is a line of a signed note.
  `create table callsheet.cosignatures (
     account text collate "C" not null,
     number bigint not null,
     witness text collate "C" not null,
     cosigned_at timestamptz not null,
     line text not null,
     primary key (account, number, witness)
   )`,
  `create trigger only_added before update or delete on callsheet.cosignatures
     for each row execute function callsheet.refuse_change()`,
  `create trigger never_emptied before truncate on callsheet.cosignatures
     for each statement execute function callsheet.refuse_change()`,
  'revoke all on callsheet.cosignatures from public',
]
