import { type Kysely, sql } from 'kysely'

/**
 * The comparison of two payloads reads the spellings that `core/time/time.ts` reads: ISO 8601 without
 * separators, HTTP's dates, the end of a day and a leap second. A service that spells its times otherwise
 * ends no version by that.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(INSTANT_TEXT).execute(db)
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec'
const MONTH = MONTHS.match(/.../g)?.join('|')
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?|24:00(?::00)?|23:59:60'

/** ISO text in UTC with its fraction as received, at most six digits: as keys spell it. */
const INSTANT_TEXT = `
  create or replace function callsheet.instant_text(given text) returns text
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
