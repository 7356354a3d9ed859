/** A question about the data, and the SQL that answers it. */
export interface Question {
  asked: string
  /** Background for reading the answer. */
  note: string
  sql: string
}

/** The ten questions of `docs/tables.md`. */
export const QUESTIONS: readonly Question[] = [
  {
    asked: 'Which sessions had bad audio last month?',
    note: 'The month is one of the time zone that your connection has.',
    sql: `select start_time, session_name, session_key, user_count, duration
from report.session_reports
where audio_quality = 'bad'
  and start_time >= date_trunc('month', now()) - interval '1 month'
  and start_time < date_trunc('month', now())
order by start_time`,
  },
  {
    asked: 'Which numbers have no assignee?',
    note: 'A number that nobody has may still cost money.',
    sql: `select n.number, n.number_type, n.allocated_product, n.site_name
from report.phone_numbers n
where not exists (
  select 1 from report.phone_number_assignments a
  where a.account = n.account and a.phone_number_id = n.id)
order by n.number`,
  },
  {
    asked: 'Which users never logged in?',
    note: 'The oldest come first.',
    sql: `select email, display_name, dept, user_created_at
from report.users
where status = 'active' and last_login_time is null
order by user_created_at`,
  },
  {
    asked: 'Which boards are shared outside?',
    note: 'Either anyone with the link may open the board, or someone from outside is a collaborator.',
    sql: `select w.whiteboard_name, w.created_by_display_name, w.share_scope = 2 as open_to_anyone,
  count(c.collaborator_id) as collaborators_from_outside
from report.whiteboards w
  left join report.whiteboard_collaborators c
    on c.account = w.account and c.whiteboard_id = w.whiteboard_id and c.collaborator_type = 1
where w.trashed is not true
group by w.account, w.whiteboard_id, w.whiteboard_name, w.created_by_display_name, w.share_scope
having w.share_scope = 2 or count(c.collaborator_id) > 0
order by collaborators_from_outside desc, w.whiteboard_name`,
  },
  {
    asked: 'What was deleted last week?',
    note: 'Deleted rows stay in `svc`; the views in `report` leave them out.',
    sql: `select 'user' as what, display_name as name, _deleted_at from svc.users
  where _deleted_at >= now() - interval '7 days'
union all
select 'board', whiteboard_name, _deleted_at from svc.whiteboards
  where _deleted_at >= now() - interval '7 days'
union all
select 'number', number, _deleted_at from svc.phone_numbers
  where _deleted_at >= now() - interval '7 days'
union all
select 'recording', session_name, _deleted_at from svc.recording_sessions
  where _deleted_at >= now() - interval '7 days'
order by _deleted_at desc`,
  },
  {
    asked: 'Which recordings are about to leave the trash?',
    note: 'The service keeps what is in the trash for 30 days; these have a week left at most.',
    sql: `select session_id, file_type, deleted_time, deleted_time + interval '30 days' as leaves_at
from (
  select session_id, file_type, deleted_time from report.recording_files
  union all
  select session_id, file_type, deleted_time from report.trashed_recording_files) files
where deleted_time < now() - interval '23 days'
order by leaves_at, session_id`,
  },
  {
    asked: 'Which numbers can send SMS without a consent policy?',
    note: 'A number is under a policy if a policy lists it, whether the policy is active or not.',
    sql: `select n.number, n.allocated_product, n.site_name
from report.phone_numbers n
where 'Messaging' = any(n.capability)
  and not exists (
    select 1 from report.sms_consent_numbers c
    where c.account = n.account and c.phone_number_id = n.id)
order by n.number`,
  },
  {
    asked: 'How did a row change over time?',
    note: 'This follows the user with the most versions; put an ID in place of the inner query.',
    sql: `with versions as (
  select id, display_name, dept, status, _valid_from, _valid_to, _end from history.users
  union all
  select id, display_name, dept, status, _changed_at, null, null from svc.users)
select * from versions
where id = (select id from history.users group by id order by count(*) desc, id limit 1)
order by _valid_from`,
  },
  {
    asked: 'How fresh is each table?',
    note: 'A table without a line of its own is cut from its parent and as fresh as that.',
    sql: `select stream, max(finished_at) as read_at, now() - max(finished_at) as age,
  sum(received) filter (where finished_at >= now() - interval '1 day') as received_in_a_day
from callsheet.slices
where state = 'complete'
group by stream
order by read_at`,
  },
  {
    asked: 'How much storage do the recordings of each month take?',
    note: 'Sizes are taken to be in bytes; what is in the trash counts too.',
    sql: `select date_trunc('month', start_time) as month, count(*) as sessions,
  sum(recording_count) as files, round(sum(total_size) / 1e9, 1) as gigabytes
from report.recording_sessions
group by month
order by month`,
  },
]
