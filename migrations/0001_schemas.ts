import { type Kysely, sql } from 'kysely'

/**
 * The schemas, the clocks and the monthly partitions. The role that syncs need not be allowed to create or
 * drop tables: a function that runs with its owner's rights makes the partitions.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** Ignores the caller's search path and time zone. */
const PATH = `set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO'`

const STATEMENTS = [
  'create schema if not exists callsheet',
  'create schema if not exists svc',
  'create schema if not exists history',
  'create schema if not exists report',

  // The clock of the data. The demo and the tests set callsheet.now for their connections.
  `create function callsheet.clock() returns timestamptz language sql volatile as
   $$ select coalesce(nullif(current_setting('callsheet.now', true), '')::timestamptz, clock_timestamp()) $$`,

  // Leases and claims expire by this clock, which runs on even while the data's clock is frozen.
  `create function callsheet.wall() returns timestamptz language sql volatile as
   $$ select clock_timestamp() $$`,

  // Lists the missing partitions of this month and the next. Ignores the caller's search path.
  `create function callsheet.missing_partitions()
   returns table (space text, parent text, "column" text, partition text, starts date, ends date)
   language sql volatile set search_path = pg_catalog, pg_temp as $$
     with months as (
       select start, start + interval '1 month' as next from generate_series(
         date_trunc('month', callsheet.clock() at time zone 'UTC'),
         date_trunc('month', callsheet.clock() at time zone 'UTC') + interval '1 month',
         interval '1 month') as start),
     wanted as (
       select n.oid as space, n.nspname, c.relname, a.attname,
         c.relname || to_char(start, '"_"YYYY"_"MM') as partition, start, next
       from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
         join pg_namespace n on n.oid = c.relnamespace
         join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0], months
       where p.partstrat = 'r' and n.nspname in ('callsheet', 'history'))
     select nspname, relname, attname, w.partition, start::date, next::date
     from wanted w where not exists (
       select 1 from pg_class where relnamespace = w.space and relname = w.partition)
     order by 1, 2, 4 $$`,

  // The names come from the catalog, by comparison with the arguments, and so cannot contain SQL. Rows of a
  // month may already be in the default partition, if nothing ran at the end of the month before. A table
  // created like another one does not inherit its replica identity.
  `create function callsheet.make_partitions(asked_space text, asked_parent text) returns void
   language plpgsql security definer ${PATH} as $$
   declare
     missing record;
     bounds text;
   begin
     -- One process at a time; another one may have been first. No other lock of ours has this number.
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
]
