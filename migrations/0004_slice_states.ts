import { type Kysely, sql } from 'kysely'

/**
 * One row with the state of each slice, written together with the ledger. Plan, status and sync read it, so
 * that they are as fast after years as after one night.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // Returns whether the service answered a list with "there is none" or "none for you": the slice is
  // complete, but the list's content is unknown. This also applies between pages, since later records were
  // not shown.
  `create function callsheet.no_list(slice_state text, slice_error text) returns boolean
   language sql immutable as $$ select slice_state = 'complete' and slice_error is not null $$`,

  `create table callsheet.slice_states (
     account text collate "C" not null,
     stream text collate "C" not null,
     slice text collate "C" not null,
     -- The newest attempt.
     run_id bigint not null,
     state text not null check (state in ('complete', 'failed', 'not_allowed')),
     finished_at timestamptz not null,
     checked boolean not null,
     quarantined bigint not null,
     outside bigint not null,
     error text,
     -- The end of the newest complete reading, and of the newest one with a list in its answer.
     read_at timestamptz,
     listed_at timestamptz,
     -- The newest reading that was complete and checked.
     complete_run_id bigint,
     complete_at timestamptz,
     complete_requested_at timestamptz,
     complete_pages integer,
     complete_received bigint,
     complete_version text,
     complete_final boolean,
     -- The count of the newest complete reading, when it last differed, and since when it has been the same.
     counted bigint,
     counted_after timestamptz,
     counted_since timestamptz,
     first_counted_at timestamptz,
     -- Attempts since the newest reading that was complete and checked.
     failures integer not null,
     refusals integer not null,
     absent_run_ids bigint[] not null,
     absent_at timestamptz,
     absent_version text,
     -- All attempts.
     unchecked_run_id bigint,
     most_pages integer not null,
     primary key (account, stream, slice)
   ) with (fillfactor = 80)`,

  // Computes the states of the given slices from all their remaining ledger entries.
  `create function callsheet.slice_states_of(of_account text, streams text[], slices text[])
   returns setof callsheet.slice_states language sql stable as $$
     with own as (
       select s.* from (select distinct stream, slice from unnest(streams, slices) as n(stream, slice)) n
       join callsheet.slices s on s.stream = n.stream and s.slice = n.slice
       where s.account = of_account),
     newest as (
       select distinct on (stream, slice) * from own
       order by stream, slice, finished_at desc, run_id desc),
     latest as (
       select distinct on (stream, slice) * from own where state = 'complete' and checked
       order by stream, slice, finished_at desc, run_id desc),
     counted as (
       select distinct on (stream, slice) stream, slice, received from own where state = 'complete'
       order by stream, slice, finished_at desc, run_id desc),
     otherwise as (
       select o.stream, o.slice, max(o.finished_at) as until
       from own o join counted c on c.stream = o.stream and c.slice = o.slice
       where o.state = 'complete' and o.received <> c.received group by o.stream, o.slice),
     facts as (
       select o.stream, o.slice,
         max(o.finished_at) filter (where o.state = 'complete') as read_at,
         max(o.finished_at) filter (where o.state = 'complete'
           and not callsheet.no_list(o.state, o.error)) as listed_at,
         min(o.finished_at) filter (where o.state = 'complete' and o.pages > 0
           and o.finished_at > coalesce(u.until, '-infinity')) as counted_since,
         min(o.finished_at) filter (where o.state = 'complete' and o.pages > 0) as first_counted_at,
         count(*) filter (where o.state = 'failed' and since) as failures,
         count(*) filter (where o.state = 'not_allowed' and since) as refusals,
         coalesce(array_agg(o.run_id order by o.finished_at, o.run_id)
           filter (where since and absent), '{}') as absent_run_ids,
         max(o.finished_at) filter (where since and absent) as absent_at,
         (array_agg(o.version order by o.finished_at desc, o.run_id desc)
           filter (where since and absent))[1] as absent_version,
         max(o.run_id) filter (where not o.checked) as unchecked_run_id,
         max(o.pages) as most_pages
       from own o
       left join latest l on l.stream = o.stream and l.slice = o.slice
       left join otherwise u on u.stream = o.stream and u.slice = o.slice
       cross join lateral (select l.finished_at is null or o.finished_at > l.finished_at as since,
         callsheet.no_list(o.state, o.error) and not o.checked as absent) is_
       group by o.stream, o.slice)
     select n.account, n.stream, n.slice, n.run_id, n.state, n.finished_at, n.checked, n.quarantined,
       n.outside, n.error, f.read_at, f.listed_at, l.run_id, l.finished_at, l.requested_at, l.pages,
       l.received, l.version, l.final, c.received, u.until, f.counted_since, f.first_counted_at,
       f.failures::integer, f.refusals::integer, f.absent_run_ids, f.absent_at, f.absent_version,
       f.unchecked_run_id, f.most_pages
     from newest n
     join facts f on f.stream = n.stream and f.slice = n.slice
     left join latest l on l.stream = n.stream and l.slice = n.slice
     left join counted c on c.stream = n.stream and c.slice = n.slice
     left join otherwise u on u.stream = n.stream and u.slice = n.slice
   $$`,
]
