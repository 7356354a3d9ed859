import { type Kysely, sql } from 'kysely'

/**
 * Tables, columns and values get the words that the field uses: deleted for gone, deletion guard for brake,
 * deletion candidate for suspect, paused for to be continued. Nothing else changes. The words of the evidence
 * stay, since they are signed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  'alter table callsheet.brakes rename to deletion_guards',
  'alter table callsheet.deletion_guards rename column released_at to approved_at',
  'alter index callsheet.brakes_pkey rename to deletion_guards_pkey',
  'alter table callsheet.suspects rename to deletion_candidates',
  'alter index callsheet.suspects_pkey rename to deletion_candidates_pkey',
  'alter table callsheet.batches rename column gone to deleted',
  'alter table callsheet.slices rename column gone to deleted',
  'alter table callsheet.slices rename column judged to checked',
  'alter table callsheet.slices rename column settled to final',
  'alter table callsheet.labels rename column not_before to retry_at',
  ...['slices', 'quarantine'].map(
    (table) => `update callsheet.${table} set slice = 'modified=' || substr(slice, 6)
      where slice like 'news=%'`,
  ),

  'alter table callsheet.runs drop constraint runs_state_check',
  `update callsheet.runs set state = 'paused' where state = 'to_be_continued'`,
  `alter table callsheet.runs add constraint runs_state_check check (state in
     ('running', 'complete', 'incomplete', 'paused', 'failed', 'interrupted'))`,
  // A colon follows a name alone: inside of a text the quotes would have backslashes.
  `update callsheet.runs set summary = replace(replace(summary::text,
       '"gone":', '"deleted":'), '"braked":', '"trippedGuards":')::jsonb
     where summary ? 'tables'`,

  // How a version in a history table ended.
  `do $$
   declare history record;
   begin
     for history in
       select c.conrelid::regclass as of, c.conname as name from pg_constraint c
       join pg_class t on t.oid = c.conrelid and not t.relispartition
       where c.connamespace = 'history'::regnamespace and c.contype = 'c'
         and pg_get_constraintdef(c.oid) like '%\\_end%gone%'
     loop
       execute format('alter table %s drop constraint %I', history.of, history.name);
       execute format('update %s set _end = ''deleted'' where _end = ''gone''', history.of);
       execute format('alter table %s add constraint %I check (_end in (''changed'', ''deleted''))',
         history.of, history.name);
     end loop;
   end $$`,
]
