import { type Kysely, sql } from 'kysely'

/**
 * A run of backslashes is taken as one piece of the text: each was one of its own, for which the rest of the
 * run was read again, so that one text of 80,000 held up an erasure for 19 s, and longer ones for hours.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** Of one character each, of UTF-8 as it may be. */
const PERCENT =
  '%0[1-9A-Fa-f]|%[1-7][0-9A-Fa-f]|%[Cc][2-9A-Fa-f]%[89ABab][0-9A-Fa-f]|' +
  '%[Dd][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|%[Ee]0%[ABab][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|' +
  '%[Ee][Dd]%[89][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|%[Ee][1-9A-Ca-cEeFf](?:%[89ABab][0-9A-Fa-f]){2}|' +
  '%[Ff]0%[9ABab][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2}|%[Ff][1-3](?:%[89ABab][0-9A-Fa-f]){3}|' +
  '%[Ff]4%8[0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2}'
const HEX = '[0-9A-Fa-f]'
const PAIR = String.raw`\\+u[Dd][89ABab]${HEX}{2}\\+u[Dd][C-Fc-f]${HEX}{2}`
const ESCAPE = String.raw`${PAIR}|\\+u${HEX}{4}|\\+/`
const REFERENCE = '&#(?:[0-9]{1,7}|[Xx][0-9A-Fa-f]{1,6});'
const UNSEEN = [
  '[',
  String.raw`\u0001-\u0008\u000e-\u001f\u007f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891`,
  String.raw`\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164`,
  String.raw`\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f`,
  String.raw`\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff`,
  ']',
].join('')

const STATEMENTS = [
  `create or replace function callsheet.unveiled(said text) returns text
   language plpgsql immutable parallel safe as $$
   declare
     before text;
   begin
     if said is null or not callsheet.veiled(said) then return said; end if;
     for layer in 1..6 loop
       before := said;
       said := (select coalesce(string_agg(
           case when m[1] is null then m[2] else callsheet.shown_as(m[1]) end, '' order by n), '')
         from regexp_matches(said, '(${PERCENT}|${ESCAPE}|${REFERENCE})|([^%\\\\&]+|\\\\+|[%&])', 'g')
           with ordinality r(m, n));
       said := normalize(regexp_replace(said, '${UNSEEN}', '', 'g'), NFKC);
       exit when said = before;
     end loop;
     return said;
   end $$`,
]
