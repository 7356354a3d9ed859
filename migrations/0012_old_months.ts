import { type Kysely, sql } from 'kysely'

/**
 * Ledgers can be limited to some months. Functions with their owner's rights remove older rows, so that the
 * role that syncs needs no right to. They remove only rows from before the month in `callsheet.retention`,
 * which is always at least half a year back.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** Ignores the caller's search path and time zone. */
const PATH = `set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO'`

const STATEMENTS = [
  `create table callsheet.retention (
     ledger text collate "C" primary key check (ledger in ('slices', 'notifications')),
     kept_from timestamptz not null
   )`,

  // The caller can set the data's clock, so the wall clock limits it.
  `create function callsheet.oldest_kept(months integer) returns timestamptz language plpgsql ${PATH} as $$
   begin
     if months is null or months < 6 then
       raise exception 'ledgers are kept for 6 months at least, not for %', months;
     end if;
     return date_trunc('month', least(callsheet.clock(), callsheet.wall())) - make_interval(months => months);
   end $$`,

  // Recorded before the removal, so that nobody takes a shrinking ledger for complete. Never moves back.
  `create function callsheet.keep_ledger_from(asked text, months integer) returns timestamptz
   language sql security definer ${PATH} as $$
     insert into callsheet.retention as r (ledger, kept_from)
     values (asked, callsheet.oldest_kept(months))
     on conflict (ledger) do update set kept_from = greatest(r.kept_from, excluded.kept_from)
     returning kept_from $$`,

  // Returns the ledger months that end by `before`, oldest first; make_partitions gives the names.
  `create function callsheet.old_months(before timestamptz)
   returns table (parent text, partition text, ends timestamptz) language sql stable ${PATH} as $$
     select p.relname, c.relname, m.ends
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     cross join lateral (select to_timestamp(right(c.relname, 7), 'YYYY_MM') + interval '1 month' as ends) m
     where p.relnamespace = 'callsheet'::regnamespace and p.relname in ('slices', 'quota')
       and c.relname ~ '^[a-z]+_[0-9]{4}_[0-9]{2}$' and m.ends <= before
     order by m.ends, p.relname $$`,

  // Drops the oldest expired month, but keeps the entries that still count for each slice: the ledger reports
  // every moment since then as before. Returns null once no month is left.
  `create function callsheet.drop_old_month() returns text language plpgsql security definer ${PATH} as $$
   declare
     until timestamptz;
     old record;
   begin
     -- The lock that callsheet.make_partitions takes.
     perform pg_advisory_xact_lock(2026000001);
     select kept_from into until from callsheet.retention where ledger = 'slices';
     select * into old from callsheet.old_months(until) limit 1;
     if found and old.parent = 'quota' then
       execute format('drop table callsheet.%I', old.partition);
     elsif found then
       perform callsheet.fold_slices(old.ends, old.partition);
     elsif exists (select from callsheet.slices_default where finished_at < until) then
       -- These rows were written when their month had no partition.
       perform callsheet.fold_slices(until, null);
       return 'slices_default';
     end if;
     return old.partition;
   end $$`,

  // Rebuilds `slices_before`, the partition before all months, beside the table, which is locked for the
  // exchange alone. Erasures wait meanwhile, so that the copy cannot restore an erased row.
  `create function callsheet.fold_slices(until timestamptz, month text) returns void
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

  /*
   * Returns the entries before an instant that still count. Attempts of each slice: the newest, the newest
   * unchecked one, one with the most pages, and the first and the last twenty since the last whole read.
   * Reads of each slice: the newest of each kind, the first, the last with another count, and the first with
   * the present count. Of each stream: the start of its present refusal.
   */
  `create function callsheet.lasting_slices(until timestamptz) returns setof callsheet.slices
   language sql stable ${PATH} as $$
     select (f.entry).* from (
       select *, min(finished_at) filter (where is_counted and finished_at > coalesce(other_at, '-infinity'))
         over slice as since_at
       from (
         select *,
           count(*) filter (where is_read and received <> newest_received) over newest as others,
           max(finished_at) filter (where is_read and received <> newest_received) over slice as other_at,
           count(*) filter (where pages = most_pages) over newest as mosts
         from (
           select *, max(received) filter (where is_read and reads = 1) over slice as newest_received,
             min(finished_at) filter (where is_refused and finished_at >= coalesce(last_clean, '-infinity'))
               over stream as refused_at
           from (
             select *, row_number() over newest as nth,
               count(*) filter (where is_whole) over newest as wholes,
               count(*) filter (where is_read) over newest as reads,
               count(*) filter (where is_listed) over newest as lists,
               count(*) filter (where is_clean) over newest as cleans,
               count(*) filter (where is_absent) over newest as absences,
               lead(is_whole) over newest is distinct from false as is_first_since,
               max(finished_at) filter (where is_clean) over stream as last_clean,
               max(run_id) over slice as last_run,
               max(run_id) filter (where not is_absent) over slice as last_word,
               max(run_id) filter (where not checked) over slice as last_unchecked,
               max(pages) over slice as most_pages,
               min(finished_at) filter (where is_counted) over slice as first_at
             from (
               select s as entry, s.account, s.stream, s.slice, s.run_id, s.finished_at, s.pages,
                 s.received, s.checked,
                 s.state = 'complete' as is_read,
                 s.state = 'complete' and s.checked as is_whole, s.state = 'not_allowed' as is_refused,
                 s.state = 'complete' and s.error is null as is_clean,
                 s.state = 'complete' and s.pages > 0 as is_counted,
                 s.state = 'complete' and not callsheet.no_list(s.state, s.error) as is_listed,
                 callsheet.no_list(s.state, s.error) and not s.checked as is_absent
               from callsheet.slices s where s.finished_at < until) a
             window stream as (partition by account, stream), slice as (partition by account, stream, slice),
               newest as (partition by account, stream, slice order by finished_at desc, run_id desc)) b
           window stream as (partition by account, stream),
             slice as (partition by account, stream, slice)) c
         window slice as (partition by account, stream, slice),
           newest as (partition by account, stream, slice order by finished_at desc, run_id desc)) d
       window slice as (partition by account, stream, slice)) f
     where run_id in (last_run, last_word)
       or is_whole and wholes = 1 or is_read and reads = 1 or is_listed and lists = 1
       or is_clean and cleans = 1 or is_absent and absences = 1
       or is_read and received <> newest_received and others = 1
       or is_counted and finished_at in (since_at, first_at)
       or not checked and run_id = last_unchecked or pages = most_pages and mosts = 1
       or is_refused and finished_at = refused_at
       or wholes = 0 and (nth <= 20 or is_first_since) $$`,
]
