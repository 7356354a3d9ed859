import { type Kysely, sql } from 'kysely'

/**
 * Gives every table without a primary key a full replica identity. Otherwise a publication for all tables,
 * which change-data tools create, makes Postgres refuse updates and deletions there (55000).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** The path of no caller plays a part, nor does a time zone of theirs. */
const PATH = `set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO'`

const STATEMENTS = [
  `do $$
   declare keyless regclass;
   begin
     for keyless in
       select c.oid from pg_class c
       where c.relnamespace in ('callsheet'::regnamespace, 'svc'::regnamespace, 'history'::regnamespace)
         and c.relkind in ('r', 'p') and c.relreplident = 'd'
         and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)
       order by c.oid
     loop
       execute format('alter table %s replica identity full', keyless);
     end loop;
   end $$`,

  // As in migration 0008. A table that is made like another one does not take over its replica identity.
  `create or replace function callsheet.make_partitions(asked_space text, asked_parent text) returns void
   language plpgsql security definer ${PATH} as $$
   declare
     missing record;
     bounds text;
   begin
     -- Any number that no other lock of ours has: another process may have been first.
     perform pg_advisory_xact_lock(2026000001);
     for missing in select * from callsheet.missing_partitions()
       where space = asked_space and parent = asked_parent
     loop
       bounds := format('>= %L and %I < %L', missing.starts, missing.column, missing.ends);
       execute format('create table %I.%I (like %I.%I including all)',
         missing.space, missing.partition, missing.space, missing.parent);
       execute format('alter table %I.%I replica identity %s', missing.space, missing.partition, (
         select case relreplident when 'f' then 'full' else 'default' end from pg_class
         where oid = format('%I.%I', missing.space, missing.parent)::regclass));
       execute format('lock table %I.%I in access exclusive mode', missing.space,
         missing.parent || '_default');
       execute format('with moved as (delete from %I.%I where %I %s returning *)
         insert into %I.%I select * from moved', missing.space, missing.parent || '_default',
         missing.column, bounds, missing.space, missing.partition);
       execute format('alter table %I.%I attach partition %I.%I for values from (%L) to (%L)',
         missing.space, missing.parent, missing.space, missing.partition, missing.starts, missing.ends);
     end loop;
   end $$`,

  // As in migration 0066, for the same reason.
  `create or replace function callsheet.fold_slices(until timestamptz, month text) returns void
   language plpgsql ${PATH} as $$
   declare
     held text;
     has_before constant boolean := to_regclass('callsheet.slices_before') is not null;
   begin
     foreach held in array array[case when has_before then 'slices_before' end, month, 'slices_default'] loop
       if held is not null then
         execute format('lock table callsheet.%I in share mode', held);
       end if;
     end loop;
     create table callsheet.slices_folded (like callsheet.slices including all);
     alter table callsheet.slices_folded replica identity full;
     insert into callsheet.slices_folded select (e).* from callsheet.lasting_slices(until) e;
     if has_before then
       drop table callsheet.slices_before;
     end if;
     if month is not null then
       execute format('drop table callsheet.%I', month);
     end if;
     delete from callsheet.slices_default where finished_at < until;
     execute format('alter table callsheet.slices attach partition callsheet.slices_folded
       for values from (minvalue) to (%L)', until);
     alter table callsheet.slices_folded rename to slices_before;
   end $$`,
]
