import { type Kysely, sql } from 'kysely'

/**
 * Views that show how complete and how fresh each table is, so that a query can avoid half-read data; a
 * calendar; and labels of codes. The views on completeness follow the rules of the reports' verdicts, but
 * rely on the ledgers: only `callsheet verify` detects a changed ledger.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** Each table, the table whose lists contain its records, the job that reads it, and how lists are split. */
const TABLES: readonly [table: string, requested: string, job: string, kind: Kind][] = [
  ['users', 'users', 'users', 'snapshot'],
  ['phone_numbers', 'phone_numbers', 'phone-numbers', 'snapshot'],
  ['phone_number_assignments', 'phone_numbers', 'phone-numbers', 'snapshot'],
  ['sms_consents', 'sms_consents', 'number-settings', 'snapshot'],
  ['sms_consent_numbers', 'sms_consent_numbers', 'number-settings', 'fan-out'],
  ['ported_orders', 'ported_orders', 'number-settings', 'snapshot'],
  ['sip_groups', 'sip_groups', 'number-settings', 'snapshot'],
  ['sip_trunks', 'sip_trunks', 'number-settings', 'snapshot'],
  ['peering_numbers', 'peering_numbers', 'number-settings', 'snapshot'],
  ['carrier_peering_numbers', 'carrier_peering_numbers', 'number-settings', 'snapshot'],
  ['whiteboard_sessions', 'whiteboard_sessions', 'whiteboard-archives', 'windows'],
  ['whiteboard_participants', 'whiteboard_sessions', 'whiteboard-archives', 'windows'],
  ['whiteboard_activities', 'whiteboard_activities', 'whiteboard-archives', 'fan-out'],
  ['whiteboards', 'whiteboards', 'whiteboards', 'windows'],
  ['classification_labels', 'classification_labels', 'whiteboards', 'snapshot'],
  ['whiteboard_collaborators', 'whiteboard_collaborators', 'whiteboards', 'fan-out'],
  ['whiteboard_content', 'whiteboard_content', 'whiteboards', 'fan-out'],
  ['session_reports', 'session_reports', 'session-reports', 'windows'],
  ['recording_sessions', 'recording_sessions', 'recordings', 'windows'],
  ['recording_files', 'recording_sessions', 'recordings', 'windows'],
  ['recording_participant_files', 'recording_sessions', 'recordings', 'windows'],
  ['trashed_recordings', 'trashed_recordings', 'recordings', 'snapshot'],
  ['trashed_recording_files', 'trashed_recordings', 'recordings', 'snapshot'],
  ['phone_number_details', 'phone_number_details', 'number-details', 'fan-out'],
  ['phone_number_assignment_details', 'phone_number_details', 'number-details', 'fan-out'],
  ['ported_order_details', 'ported_order_details', 'number-details', 'fan-out'],
  ['sms_consent_details', 'sms_consent_details', 'number-details', 'fan-out'],
  ['recording_details', 'recording_details', 'recording-details', 'fan-out'],
  ['recording_audio_files', 'recording_details', 'recording-details', 'fan-out'],
  ['storage_locations', 'storage_locations', 'recording-details', 'snapshot'],
  ['storage_location_details', 'storage_location_details', 'recording-details', 'fan-out'],
  ['user_details', 'user_details', 'user-details', 'fan-out'],
  ['user_phone_numbers', 'user_details', 'user-details', 'fan-out'],
]

/** Tables read by one list per parent row, the parents' table and ID column, and the prefix of the slice. */
const PARENTS: readonly [
  table: string,
  parent: string,
  id: string,
  prefix: string,
  only?: string,
][] = [
  ['sms_consent_numbers', 'sms_consents', 'consent_id', 'consent='],
  [
    'whiteboard_activities',
    'whiteboard_sessions',
    'id',
    'session=',
    'coalesce(p.expire_time > callsheet.clock(), true)',
  ],
  ['whiteboard_collaborators', 'whiteboards', 'whiteboard_id', 'whiteboard='],
  ['whiteboard_content', 'whiteboards', 'whiteboard_id', 'whiteboard='],
  ['phone_number_details', 'phone_numbers', 'id', 'number='],
  ['ported_order_details', 'ported_orders', 'order_id', 'order='],
  ['sms_consent_details', 'sms_consents', 'consent_id', 'consent='],
  ['recording_details', 'recording_sessions', 'session_id', 'session='],
  ['storage_location_details', 'storage_locations', 'id', 'location='],
  ['user_details', 'users', 'id', 'user=', "not starts_with(p.id, 'pending:')"],
]

type Kind = 'snapshot' | 'windows' | 'fan-out'

const quoted = (values: readonly string[]): string =>
  `(${values.map((value) => `'${value}'`).join(', ')})`

const STATEMENTS = [
  `create view callsheet.tables as
   select * from (values ${TABLES.map(quoted).join(', ')}) as v("table", requested, job, kind)`,

  // The lists of the parents that exist now, whether they were read or not.
  `create view callsheet.parent_lists as
   ${PARENTS.map(
     ([table, parent, id, prefix, only = 'true']) =>
       `select p.account, '${table}' as stream, p.${id} as part, '${prefix}' || p.${id} as slice
     from svc.${parent} p where p._deleted_at is null and ${only}`,
   ).join(' union all ')}`,

  `create view callsheet.parents as
   select * from (values ${PARENTS.map(([table, parent]) => quoted([table, parent])).join(', ')})
     as v("table", parent)`,

  // The newest run of each table's job that read the table's lists to their end, and when the first run of
  // its chain began: a run continues interrupted runs of the three days before it.
  `create view callsheet.whole_reads as
   select l.account, t."table", r.id as run_id, b.began_at as complete_to, n.id = r.id as newest,
     coalesce(n.summary->'notAllowed' ? t.requested, false) as refused
   from callsheet.leases l cross join callsheet.tables t
   left join lateral (
     select id, summary from callsheet.runs
     where account = l.account and job = t.job and not partial and state <> 'running'
     order by id desc limit 1) n on true
   left join lateral (
     select id, started_at from callsheet.runs
     where account = l.account and job = t.job and not partial and summary->'read' ? t.requested
       and not coalesce(summary->'notAllowed' ? t.requested, false)
     order by id desc limit 1) r on true
   left join lateral (
     select min(started_at) as began_at from callsheet.runs
     where account = l.account and job = t.job and not partial and id <= r.id
       and started_at > r.started_at - interval '3 days'
       and id > coalesce((
         select max(id) from callsheet.runs
         where account = l.account and job = t.job and not partial and id < r.id
           and state in ('complete', 'incomplete')), 0)) b on true
   where l.moved_to is null`,

  // The parts that make up each requested table: lists, windows, and the days in UTC that windows cover.
  // An answer that a list does not exist undoes no earlier complete reading. A failed window that later whole
  // reads left out is no longer requested. Each account is computed by itself.
  `create view callsheet.parts as
   select l.account, p.* from callsheet.leases l cross join lateral (
     with judged as materialized (
       select s.stream, s.slice, t.kind, s.quarantined, v.complete,
         case when v.complete then s.complete_run_id end as run_id,
         case when v.complete then s.complete_at end as read_at,
         e.owned_from, greatest(e.owned_from, least(e.owned_to, e.requested_at)) as owned_to
       from callsheet.slice_states s
       join callsheet.tables t on t."table" = s.stream
       join (select "table", run_id from callsheet.whole_reads
         where account = l.account offset 0) w on w."table" = s.stream
       cross join lateral (select case when callsheet.no_list(s.state, s.error) and not s.checked
         then s.complete_run_id is not null else s.state = 'complete' end as complete) v
       left join callsheet.slices e on t.kind = 'windows' and e.account = s.account
         and e.stream = s.stream and e.slice = s.slice and e.run_id = s.run_id
       where s.account = l.account
         and (v.complete or t.kind = 'fan-out' or s.run_id >= coalesce(w.run_id, 0))),
     days as (
       select w.stream, d.day::date as day, d.day at time zone 'UTC' as from_at,
         d.day at time zone 'UTC' + interval '24 hours' as to_at
       from (select stream, min(owned_from) as first, max(owned_to) as last
         from judged where owned_from is not null group by stream) w
       cross join lateral generate_series(date_trunc('day', w.first at time zone 'UTC'),
         w.last at time zone 'UTC', interval '1 day') d(day))
     select p.stream as "table", 'list' as kind, null::date as day, p.part,
       coalesce(j.complete, false) as complete, j.run_id, j.read_at, coalesce(j.quarantined, 0) as quarantined
     from (select stream, part, slice from callsheet.parent_lists where account = l.account offset 0) p
     left join judged j on j.stream = p.stream and j.slice = p.slice
     union all
     select stream, case when owned_from is null then 'list' else 'window' end, null, slice, complete,
       run_id, read_at, quarantined
     from judged where kind <> 'fan-out'
     union all
     select d.stream, 'day', d.day, null,
       coalesce(range_agg(tstzrange(j.owned_from, j.owned_to)) filter (where j.complete)
         @> tstzrange(d.from_at, d.to_at), false),
       (array_agg(j.run_id order by j.read_at desc) filter (where j.complete))[1], max(j.read_at), 0
     from days d
     left join judged j on j.stream = d.stream and j.owned_from < d.to_at and j.owned_to > d.from_at
     group by d.stream, d.day, d.from_at, d.to_at) p
   where l.moved_to is null`,

  `create view report.coverage as
   select account, "table", day, part, complete, run_id, read_at
   from callsheet.parts where kind <> 'window'`,

  // Each table by itself. The newest day does not count as missing: it can be read whole only after its end.
  `create view callsheet.table_states as
   select w.account, w."table", t.requested, w.complete_to, c.read_at, w.refused, f.whole,
     coalesce(c.missing, 0) as missing_parts, coalesce(c.quarantined, 0) as quarantined,
     coalesce(g.held, 0) as deletions_held, p.rows_kept
   from callsheet.whole_reads w
   join callsheet.tables t on t."table" = w."table"
   left join (
     select account, "table", count(*) as parts, min(read_at) as read_at,
       sum(quarantined)::bigint as quarantined,
       count(*) filter (where not complete and kind <> 'window' and (day is null or day <> newest)) as missing
     from (select *, max(day) over (partition by account, "table") as newest from callsheet.parts) p
     group by account, "table") c on c.account = w.account and c."table" = t.requested
   left join lateral (
     select sum(missing)::bigint as held from callsheet.deletion_guards h
     where h.account = w.account and h.stream = w."table" and h.approved_at is null
       and not exists (
         select from callsheet.runs r where r.account = h.account and r.job = t.job and r.id > h.run_id
           and r.state = 'complete' and (not r.partial or r.summary->'tables'->h.stream is not null)
           and r.summary->'notAllowed'->h.stream is null and r.summary->'range' is null)) g on true
   left join lateral (
     select (e.part->>'whole')::boolean as read,
       case when not (e.part->>'whole')::boolean
           then (e.part->>'text') || ' (changed, and not read to its end since)'
         when e.part->'fields' <> '{}' then e.part->>'text' end as rows_kept
     from callsheet.found_readings f cross join lateral (select f.variant::jsonb as part) e
     where f.account = w.account and f.reading = 'rows of ' || coalesce(
       (select parent from callsheet.parents where "table" = t.requested), t.requested)) p on true
   cross join lateral (select coalesce(w.newest, false) and not w.refused
     and (t.kind = 'fan-out' or coalesce(c.parts, 0) > 0)
     and coalesce(c.missing, 0) = 0 and coalesce(c.quarantined, 0) = 0
     and coalesce(g.held, 0) = 0 and coalesce(p.read, true) as whole) f`,

  // A table read by parent is no more complete, and no newer, than the table of its parents.
  `create view report.freshness as
   select s.account, s."table", case when k.parent is null or p.complete_to is not null
       then least(s.complete_to, p.complete_to) end as complete_to, s.read_at,
     case when s.refused then 'not_allowed' when s.complete_to is null then 'never_read'
       when f.whole then 'whole' else 'incomplete' end as state,
     f.whole, s.missing_parts, s.quarantined, s.deletions_held, s.rows_kept
   from (select *, array_agg("table") filter (where whole) over (partition by account) as wholes
     from callsheet.table_states) s
   left join callsheet.parents k on k."table" = s.requested
   left join callsheet.whole_reads p on p.account = s.account and p."table" = k.parent
   cross join lateral (
     select s.whole and (k.parent is null or k.parent = any(s.wholes)) as whole) f`,

  `create view report.calendar as
   select day::date as day, extract(year from day)::integer as year,
     extract(quarter from day)::integer as quarter, date_trunc('month', day)::date as month,
     date_trunc('week', day)::date as week, extract(week from day)::integer as iso_week,
     extract(isodow from day)::integer as weekday, to_char(day, 'FMDay') as weekday_name
   from generate_series(timestamp '2015-01-01', timestamp '2049-12-31', interval '1 day') d(day)`,

  // Filled from the declarations after each migration.
  `create table report.labels (
     "table" text collate "C" not null,
     "column" text collate "C" not null,
     code text collate "C" not null,
     label text not null,
     primary key ("table", "column", code)
   )`,
]
