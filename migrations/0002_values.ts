import { type Kysely, sql } from 'kysely'

/** Functions that compare values of payloads by meaning, regardless of spelling. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec'
const MONTH = MONTHS.match(/.../g)?.join('|')
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?|24:00(?::00)?|23:59:60'

/**
 * Returns ISO text in UTC, as keys spell it: the fraction has at most six digits and no trailing zeros. Reads
 * common spellings, like `core/time/instant.ts`. An invalid instant, such as one in month 13, is null.
 */
const INSTANT_TEXT = `
  create function callsheet.instant_text(given text) returns text
  language plpgsql stable strict set timezone = 'UTC' as $$
  declare
    iso text := btrim(given);
    http text[] := regexp_match(iso,
      '^(?:[A-Z][a-z]+, )?(\\d\\d?)[ -](${MONTH})[ -](\\d{4}) (\\d\\d:\\d\\d(?::\\d\\d)?)( ?[^ ]*)$');
    parts text[];
    at timestamptz;
  begin
    if http is not null then
      iso := http[3] || '-' || lpad(((position(http[2] in '${MONTHS}') + 2) / 3)::text, 2, '0')
        || '-' || lpad(http[1], 2, '0') || 'T' || http[4] || http[5];
    end if;
    iso := regexp_replace(iso, '^(\\d{4})(\\d\\d)(\\d\\d)([Tt]|$)', '\\1-\\2-\\3\\4');
    iso := regexp_replace(iso, '^(\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d)(\\d\\d)(\\d\\d)', '\\1:\\2:\\3');
    iso := regexp_replace(iso, '^(\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d)(\\d\\d)(?![:\\d])', '\\1:\\2');
    parts := regexp_match(iso,
      '^(\\d{4}-\\d\\d-\\d\\d)(?:[Tt ](${CLOCK})(?:[.,](\\d{1,9}))?)?'
      '(?: ?(Z|z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?))?$');
    if parts is null then return null; end if;
    at := parts[1] || ' ' || coalesce(parts[2], '00:00') || coalesce('.' || left(parts[3], 6), '')
      || case when parts[4] ~ '^[+-]' then parts[4] else '+00' end;
    return regexp_replace(to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US'), '\\.?0+$', '') || 'Z';
  exception when data_exception then
    return null;
  end $$`

/** Returns one text for all plain spellings of a value; a value with a single spelling is unchanged. */
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
 * Returns whether two JSON values mean the same: texts are equal or the same instant, values of two types
 * have one plain text, an empty value may be missing, and a list of one may be a single value.
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

const STATEMENTS = [INSTANT_TEXT, PLAIN_TEXT, SAME]
