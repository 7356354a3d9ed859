import { type Kysely, sql } from 'kysely'

/**
 * A text that is spelled as an instant and is none, as of month 13 or of a zone 16 hours away, is no instant,
 * and no error: else the comparison of two payloads ends the whole load.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(INSTANT_TEXT).execute(db)
}

/** ISO text in UTC with its fraction as received, at most six digits: as keys spell it. */
const INSTANT_TEXT = `
  create or replace function callsheet.instant_text(given text) returns text
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
