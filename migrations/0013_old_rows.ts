import { type Kysely, sql } from 'kysely'

/**
 * Removes old rows from ledgers that are not partitioned by month, because their keys cover all months, and
 * from the default partition of the quota.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const PATH = `set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO'`

/**
 * The ended runs that started before `before`. Excludes, for each job, its last thirty runs and all from the
 * last complete one of these on (if none is complete, from the last incomplete one on). Reports, health and
 * the next start use the excluded runs. Partial runs do not count as complete or incomplete.
 */
const OLD_RUNS = `(
  select r.* from (select distinct account, job from callsheet.runs) j
  cross join lateral (
    select id from callsheet.runs where account = j.account and job = j.job
    order by id desc offset 29 limit 1) thirtieth
  cross join lateral (
    select coalesce(max(id) filter (where state = 'complete'), max(id), thirtieth.id) as id
    from callsheet.runs where account = j.account and job = j.job and started_at < before
      and not partial and state in ('complete', 'incomplete')) ended
  join callsheet.runs r on r.account = j.account and r.job = j.job
    and r.id < least(thirtieth.id, ended.id)
  where r.started_at < before and r.state <> 'running')`

/** The part of a summary to remove. The run's row stays, since data rows name it. */
const LASTING = `summary - 'read' - 'notAllowed'`

const OLD: Readonly<Record<string, string>> = {
  runs: `select r.ctid from callsheet.runs r join ${OLD_RUNS} o on o.account = r.account and o.id = r.id
    where r.planned <> '{}' or r.${LASTING} <> '{}'`,
  batches: `select b.ctid from callsheet.batches b join ${OLD_RUNS} o
    on o.account = b.account and o.id = b.run_id`,
  // Keeps quarantined records of any age while their slice is incomplete or its last read quarantined any.
  quarantine: `select q.ctid from callsheet.quarantine q where q.at < before and exists (
      select from callsheet.slice_states s where s.account = q.account and s.slice = q.slice)
    and not exists (
      select from callsheet.slice_states s where s.account = q.account and s.slice = q.slice
        and (s.state <> 'complete' or s.quarantined > 0))`,
  task_runs: `select t.ctid from callsheet.task_runs t where t.started_at < before and t.state <> 'running'
    and t.id < (select id from callsheet.task_runs n where n.account = t.account and n.task = t.task
      order by id desc offset 29 limit 1)`,
  alerts: `select a.ctid from callsheet.alerts a where a.recovered_at < before`,
  quota: `select q.ctid from callsheet.quota_default q where q.day < before::date`,
  // Keeps notifications not yet understood, those that set a present state, and those of erasure requests.
  notifications: `select n.ctid from callsheet.notifications n where n.received_at < before
    and n.state in ('applied', 'stored', 'foreign', 'erased')
    and not exists (select from callsheet.event_states s where s.account = n.account
      and s.notification_id = n.id)
    and not exists (select from callsheet.erasure_requests r where r.account = n.account
      and r.notification_id = n.id)`,
}

const STATEMENTS = [
  `create function callsheet.old_rows(ledger text, before timestamptz, most integer) returns setof tid
   language plpgsql stable ${PATH} as $$
   begin
     case ledger
       ${Object.entries(OLD)
         .map(([ledger, rows]) => `when '${ledger}' then return query ${rows} limit most;`)
         .join('\n')}
     end case;
   end $$`,

  // Limits the number of rows, so that no transaction is long. Refuses an unlisted ledger.
  `create function callsheet.remove_old_rows(ledger text, most integer) returns bigint
   language plpgsql security definer ${PATH} as $$
   declare
     until timestamptz;
     old tid[];
     done bigint;
   begin
     select r.kept_from into until from callsheet.retention r
       where r.ledger = case when remove_old_rows.ledger = 'notifications' then 'notifications'
         else 'slices' end;
     old := array(select callsheet.old_rows(remove_old_rows.ledger, until, most));
     if remove_old_rows.ledger = 'runs' then
       update callsheet.runs set planned = '{}', summary = (
         select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(summary)
         where key in ('read', 'notAllowed'))
       where ctid = any(old);
     else
       execute format('delete from callsheet.%I where ctid = any($1)',
         case remove_old_rows.ledger when 'quota' then 'quota_default' else remove_old_rows.ledger end)
         using old;
     end if;
     get diagnostics done = row_count;
     return done;
   end $$`,
]
