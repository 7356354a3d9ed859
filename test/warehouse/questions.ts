/** A question about the data, and the SQL that answers it. */
export interface Question {
  asked: string
  /** Background for reading the answer. */
  note: string
  sql: string
}

/** The fifteen questions of `docs/tables.md`. */
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
    note: 'The views of present rows leave deleted rows out; the last version of each is in the history.',
    sql: `select 'user' as what, display_name as name, valid_to from report.history_users
  where ended_as = 'deleted' and valid_to >= now() - interval '7 days'
union all
select 'board', whiteboard_name, valid_to from report.history_whiteboards
  where ended_as = 'deleted' and valid_to >= now() - interval '7 days'
union all
select 'number', number, valid_to from report.history_phone_numbers
  where ended_as = 'deleted' and valid_to >= now() - interval '7 days'
union all
select 'recording', session_name, valid_to from report.history_recording_sessions
  where ended_as = 'deleted' and valid_to >= now() - interval '7 days'
order by valid_to desc`,
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
    sql: `select id, display_name, dept, status, valid_from, valid_to, ended_as
from report.history_users
where id = (select id from report.history_users group by id order by count(*) desc, id limit 1)
order by valid_from`,
  },
  {
    asked: 'Which tables are complete, and up to when?',
    note: 'A query that must not rest on half-read data can ask for `whole` and `complete_to` first.',
    sql: `select "table", state, complete_to, now() - complete_to as age, missing_parts, quarantined,
  deletions_held
from report.freshness
order by whole, complete_to, "table"`,
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
  {
    asked: 'Which days of the sessions were not read to their end?',
    note: 'The newest day is among them, because it had not ended when it was read.',
    sql: `select account, day, run_id, read_at
from report.coverage
where "table" = 'session_reports' and day is not null and not complete
order by account, day`,
  },
  {
    asked: 'How many sessions were held on each weekday?',
    note: 'The calendar also has the days without a session.',
    sql: `select c.weekday_name, count(distinct c.day) as days, count(s.id) as sessions
from report.calendar c
  left join report.session_reports s
    on s.start_time >= c.day and s.start_time < c.day + 1
where c.day between now()::date - 90 and now()::date
group by c.weekday, c.weekday_name
order by c.weekday`,
  },
  {
    asked: 'How many active users did each department have five days ago?',
    note: 'A version of a row was valid from its valid_from until before its valid_to.',
    sql: `select coalesce(dept, '(none)') as dept, count(*) as users
from report.history_users
where status = 'active' and valid_from <= now() - interval '5 days'
  and (valid_to is null or valid_to > now() - interval '5 days')
group by 1
order by users desc, dept`,
  },
  {
    asked: 'Which numbers changed hands in the last month?',
    note: 'An assignment that ended as changed has a later version; one that ended as deleted has none.',
    sql: `select n.number, a.assigned_to_type, a.assigned_to_name, a.valid_to, a.ended_as
from report.history_phone_number_assignments a
  join report.phone_numbers n on n.account = a.account and n.id = a.phone_number_id
where a.valid_to >= now() - interval '1 month'
order by a.valid_to desc, n.number`,
  },
  {
    asked: 'How was the audio of last month’s sessions rated, in words?',
    note: 'The codes of every column have their words in `report.labels`.',
    sql: `select l.label, count(*) as sessions
from report.session_reports s
  join report.labels l
    on l."table" = 'session_reports' and l."column" = 'audio_quality' and l.code = s.audio_quality
where s.start_time >= date_trunc('month', now()) - interval '1 month'
  and s.start_time < date_trunc('month', now())
group by l.label
order by sessions desc`,
  },
]
