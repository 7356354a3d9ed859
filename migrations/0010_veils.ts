import { type Kysely, sql } from 'kysely'

/**
 * Decodes a text for the search for erased people: percent-encoding, JSON escapes (however deeply nested),
 * XML references, Unicode compatibility forms and invisible characters. Equals `core/persons/veiled.ts` for
 * all text that a `like` pattern of the search can contain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** Each alternative is one character in valid UTF-8 or, as `%uXXXX`, one unit of UTF-16. */
const PERCENT =
  '%0[1-9A-Fa-f]|%[1-7][0-9A-Fa-f]|%[Cc][2-9A-Fa-f]%[89ABab][0-9A-Fa-f]|' +
  '%[Dd][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|%[Ee]0%[ABab][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|' +
  '%[Ee][Dd]%[89][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|%[Ee][1-9A-Ca-cEeFf](?:%[89ABab][0-9A-Fa-f]){2}|' +
  '%[Ff]0%[9ABab][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2}|%[Ff][1-3](?:%[89ABab][0-9A-Fa-f]){3}|' +
  '%[Ff]4%8[0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2}|%[Uu][0-9A-Fa-f]{4}'
const HEX = '[0-9A-Fa-f]'
const PAIR = String.raw`\\+u[Dd][89ABab]${HEX}{2}\\+u[Dd][C-Fc-f]${HEX}{2}`
const CODE = String.raw`u${HEX}{4}|u[{]${HEX}{1,6}[}]|U${HEX}{8}`
/** An escaped sign, but not a hash in a row, which is printed with `\\x` and many more digits. */
const SIGN = String.raw`x(2[BbDdEeFf]|3[Dd]|40|5[Ff])(?!${HEX}{6})`
const ESCAPE = String.raw`${PAIR}|\\+(?:${CODE}|x${HEX}{2}|[@._+=/-])`
const NAMES = 'commat|period|plus|lowbar|UnderBar|sol|equals|shy|zwj|zwnj|ZeroWidthSpace|NoBreak'
const REFERENCE = `&(?:amp;)*(?:#[0-9]{1,7};?|#[Xx]${HEX}{1,6};|(?:${NAMES});)`
const UNSEEN = [
  '[',
  String.raw`\u0001-\u0008\u000e-\u001f\u007f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891`,
  String.raw`\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164`,
  String.raw`\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f`,
  String.raw`\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff`,
  ']',
].join('')

const STATEMENTS = [
  // Fast for text without escapes, since each row of an account is checked.
  String.raw`create function callsheet.veiled(said text) returns boolean
   language sql immutable parallel safe as $$
     select (strpos(said, '%') > 0 and said ~ '%([0-7C-Fc-f]${HEX}|[Uu]${HEX}{4})')
       or (strpos(said, '\') > 0 and said ~ '\\(${CODE}|${SIGN}|[@._+=/-])')
       or (strpos(said, '&') > 0 and said ~ '&(amp;)*(#|(${NAMES});)')
       or said ~ '[\u0001-\u0008\u000e-\u001f\u007f]'
       or (octet_length(said) <> length(said)
         and (said is not nfkc normalized or said ~ '${UNSEEN}')) $$`,

  // An escape that represents no character is unchanged.
  String.raw`create function callsheet.shown_as(veil text) returns text
   language plpgsql immutable parallel safe as $$
   declare
     hex text := substring(veil from '[Uux#][Xx{]*(${HEX}+)[};]*$');
     code bigint;
   begin
     if veil ~ '^%${HEX}{2}' then
       return convert_from(decode(replace(veil, '%', ''), 'hex'), 'UTF8');
     elsif veil ~ '^\\+[@._+=/-]$' then
       return right(veil, 1);
     elsif veil ~ '^&(amp;)*[A-Za-z]+;$' then
       return coalesce(('{"commat":"@","period":".","plus":"+","lowbar":"_","UnderBar":"_","sol":"/",
         "equals":"="}'::jsonb) ->> substring(veil from '([A-Za-z]+);$'), '');
     elsif veil ~ '^&.*#[0-9]' then
       code := substring(veil from '[0-9]+')::bigint;
     else
       code := ('x' || lpad(hex, 16, '0'))::bit(64)::bigint;
       if veil ~ '^\\+u.*u' then
         code := 65536 + (code - 56320)
           + (('x' || lpad(substring(veil from 'u(.{4})'), 16, '0'))::bit(64)::bigint - 55296) * 1024;
       end if;
     end if;
     if code < 1 or code > 1114111 or code between 55296 and 57343 then return veil; end if;
     return chr(code::int);
   end $$`,

  // Matches a run of backslashes as one piece. Piece by piece, each would read the rest of the run again.
  String.raw`create function callsheet.unveiled(said text) returns text
   language plpgsql immutable parallel safe as $$
   declare
     before text;
   begin
     if said is null or not callsheet.veiled(said) then return said; end if;
     for layer in 1..6 loop
       before := said;
       said := (select coalesce(string_agg(
           case when m[1] is null then m[2] else callsheet.shown_as(m[1]) end, '' order by n), '')
         from regexp_matches(said, '(${PERCENT}|${ESCAPE}|${REFERENCE})|([^%\\&]+|\\+|[%&])', 'g')
           with ordinality r(m, n));
       said := normalize(regexp_replace(said, '${UNSEEN}', '', 'g'), NFKC);
       exit when said = before;
     end loop;
     return said;
   end $$`,

  // Bytes that are not UTF-8 are escaped, because reading them as text would fail the statement.
  `create function callsheet.text_of(bytes bytea) returns text
   language plpgsql immutable parallel safe as $$
   begin
     return convert_from(bytes, 'UTF8');
   exception when others then
     return encode(bytes, 'escape');
   end $$`,
]
