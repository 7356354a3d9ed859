import { type Kysely, sql } from 'kysely'

/**
 * What each batch wrote, entered in the transaction that wrote it: so the sums equal what became of the
 * tables, also after a kill, and a try that finds its batch here knows that it was committed. Rows only for
 * what was written, none for what was found unchanged.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`create table callsheet.batches (
     account text not null,
     run_id bigint not null,
     batch integer not null,
     stream text not null,
     inserted bigint not null,
     updated bigint not null,
     unchanged bigint not null,
     gone bigint not null,
     at timestamptz not null,
     primary key (account, run_id, batch, stream)
   )`)
    .execute(db)
}
