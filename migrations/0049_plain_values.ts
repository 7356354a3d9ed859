import { type Kysely, sql } from 'kysely'

/**
 * Keys that hold an instant are made of the instant from now on, not of its spelling: what is held comes to
 * the one spelling too. And whether two payloads say the same, however their values are spelled.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** ISO text in UTC with its fraction as received, at most six digits: as keys spell it. */
const INSTANT_TEXT = `
  create function callsheet.instant_text(given text) returns text
  language plpgsql stable strict set timezone = 'UTC' as $$
  declare
    parts text[] := regexp_match(given,
      '^(\\d{4}-\\d\\d-\\d\\d)(?:[Tt ]((?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?)(?:[.,](\\d{1,9}))?)?'
      '(?: ?(Z|z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?))?$');
    at timestamptz;
  begin
    if parts is null then return null; end if;
    at := parts[1] || ' ' || coalesce(parts[2], '00:00') || coalesce('.' || left(parts[3], 6), '')
      || case when parts[4] ~ '^[+-]' then parts[4] else '+00' end;
    return regexp_replace(to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US'), '\\.?0+$', '') || 'Z';
  exception when data_exception then
    return null;
  end $$`

/** One text for the plain spellings of a value; what is spelled in one way alone stays itself. */
const PLAIN_TEXT = `
  create function callsheet.plain_text(value jsonb) returns text
  language sql stable strict as $$
    select case
      when lower(value #>> '{}') in ('true', '1') then '1'
      when lower(value #>> '{}') in ('false', '0') then '0'
      when value #>> '{}' ~ '^\\d{9,11}$' then callsheet.instant_text(
        to_char(to_timestamp((value #>> '{}')::bigint) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'))
      when value #>> '{}' ~ '^\\d{12,14}$' then callsheet.instant_text(
        to_char(to_timestamp((value #>> '{}')::numeric / 1000) at time zone 'UTC',
          'YYYY-MM-DD HH24:MI:SS.US'))
      else coalesce(callsheet.instant_text(value #>> '{}'), regexp_replace(value #>> '{}', '\\.0+$', '')) end
  $$`

/**
 * Whether two JSON values say the same: texts are the same letters or the same instant, values of two types
 * have one plain text, what is empty may be missing, and a list of one may come without its list.
 */
const SAME = `
  create function callsheet.same(a jsonb, b jsonb) returns boolean
  language plpgsql stable as $$
  declare
    of_a text := coalesce(jsonb_typeof(a), 'null');
    of_b text := coalesce(jsonb_typeof(b), 'null');
  begin
    if a = b then return true; end if;
    if of_a = 'array' and of_b <> 'array' and jsonb_array_length(a) = 1 then
      return callsheet.same(a -> 0, b);
    elsif of_b = 'array' and of_a <> 'array' and jsonb_array_length(b) = 1 then
      return callsheet.same(a, b -> 0);
    elsif of_a = 'array' and of_b = 'array' then
      return jsonb_array_length(a) = jsonb_array_length(b) and not exists (
        select 1 from generate_series(0, jsonb_array_length(a) - 1) as at
        where not callsheet.same(a -> at, b -> at));
    elsif of_a = 'object' and of_b = 'object' then
      return not exists (
        select 1 from jsonb_object_keys(a || b) as key where not callsheet.same(a -> key, b -> key));
    elsif of_a in ('array', 'object') or of_b in ('array', 'object') then
      return false;
    elsif of_a = 'null' or of_b = 'null' then
      return coalesce(a #>> '{}', '') = coalesce(b #>> '{}', '');
    elsif of_a = 'string' and of_b = 'string' then
      return callsheet.instant_text(a #>> '{}') is not distinct from callsheet.instant_text(b #>> '{}')
        and callsheet.instant_text(a #>> '{}') is not null;
    end if;
    return callsheet.plain_text(a) = callsheet.plain_text(b);
  end $$`

/** A text in the one spelling, where it is an instant. */
const spelled = (text: string): string => `case
  when ${text} ~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' then ${text}
  else coalesce(callsheet.instant_text(${text}), ${text}) end`

/** The name of a file that has no ID: its type and two instants. */
const spelledFile = (text: string): string => `case
  when ${text} !~ '^[^@]+@[^@]+@[^@]+$' then ${text}
  else concat_ws('@', split_part(${text}, '@', 1), ${spelled(`split_part(${text}, '@', 2)`)},
    ${spelled(`split_part(${text}, '@', 3)`)}) end`

/**
 * Brings a key's column to its spelling. Rows that come to share a key are told apart by their ordinal again:
 * all of them get names that no key has, and then their own.
 */
const respell = (table: string, { column, beside, spelling }: Respelling): string[] => [
  `with held as (
     select ctid as place, account, ${beside}, ${column} as before, ${spelling(column)} as after
     from svc.${table}),
   mixed as (
     select account, ${beside}, after from held
     group by account, ${beside}, after having bool_or(after <> before))
   update svc.${table} t set ${column} = chr(1) || h.before
   from held h join mixed m using (account, ${beside}, after) where t.ctid = h.place`,
  `with held as (
     select ctid as place, account, ${beside}, ordinal, _deleted_at,
       ${spelling(`substr(${column}, 2)`)} as after
     from svc.${table} where ${column} like chr(1) || '%'),
   numbered as (
     select place, after, row_number() over (
       partition by account, ${beside}, after order by _deleted_at desc nulls first, ordinal, place) - 1 as n
     from held)
   update svc.${table} t set ${column} = n.after, ordinal = n.n from numbered n where t.ctid = n.place`,
  `update history.${table} set ${column} = ${spelling(column)} where ${column} <> ${spelling(column)}`,
]

interface Respelling {
  column: string
  /** The columns of the key before it. */
  beside: string
  spelling(text: string): string
}

const participants = {
  column: 'join_whiteboard_time',
  beside: 'session_id, user_id, user_name',
  spelling: spelled,
}
const files = { column: 'file_key', beside: 'session_id', spelling: spelledFile }

/** What is stored, or was, is so under its new name too, and gets an entry; the rest is looked for anew. */
const FILES = [
  `insert into callsheet.files (account, kind, parent, item, state, reason, expires_at, sha256, size,
       tries, state_at, run_id, bytes_gone_at)
     select account, kind, parent, after, state, reason, expires_at, sha256, size, tries, state_at,
       run_id, bytes_gone_at
     from callsheet.files, concat(${spelledFile(`split_part(item, '#', 1)`)},
       substring(item from '#\\d+$')) as after
     where kind = 'recording' and sha256 is not null and item <> after
     on conflict do nothing`,
  `delete from callsheet.files where kind = 'recording' and sha256 is null
     and item <> concat(${spelledFile(`split_part(item, '#', 1)`)}, substring(item from '#\\d+$'))`,
]

const STATEMENTS = [
  INSTANT_TEXT,
  PLAIN_TEXT,
  SAME,
  `revoke all on function callsheet.instant_text(text) from public`,
  `revoke all on function callsheet.plain_text(jsonb) from public`,
  `revoke all on function callsheet.same(jsonb, jsonb) from public`,
  ...respell('whiteboard_participants', participants),
  ...respell('recording_files', files),
  ...respell('trashed_recording_files', files),
  ...respell('recording_participant_files', files),
  ...respell('recording_audio_files', files),
  ...FILES,
]
