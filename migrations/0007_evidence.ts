import { type Kysely, sql } from 'kysely'

/**
 * The manifest of evidence and its signed checkpoints. Triggers refuse to change or delete their rows. Only
 * `about` and the salts of an entry may become null, so that an erasure leaves the chain intact.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/**
 * Hashes a row in the server's binary form, without the number of values and without the null columns after
 * the last value: a column added later changes no hash until it has a value. `nulls` is the binary form of
 * the last columns, which are nullable, when all of them are null.
 */
const LEAF = `sha256(substring(sent from 5 for length(sent) - 4 - case when nulls = '' then 0 else coalesce((
  select max(n) from generate_series(8, length(nulls), 8) n
  where substring(sent from length(sent) - n + 1) = substring(nulls from length(nulls) - n + 1)), 0) end))`

const STATEMENTS = [
  // The rows that each transaction added to stream tables or removed: a hash per row, whoever changed it.
  // Only the owner can write here; the evidence has a statement for the program's own writes. `days`: the
  // days of these rows before and after, counted from 1970 (null for a row without a time). `newest_run`: the
  // last run that wrote or deleted one of them. An export to a lake finds changed rows by these two columns.
  `create table callsheet.written (
     id bigint generated always as identity,
     account text collate "C" not null,
     place text collate "C" not null,
     batch text collate "C" not null,
     wrote bytea[] not null,
     took bytea[] not null,
     days integer[] not null,
     newest_run bigint not null,
     xact bigint not null default pg_current_xact_id()::text::bigint,
     primary key (account, id)
   )`,
  'create index on callsheet.written (account, batch)',
  'create index on callsheet.written (account, place, xact)',
  // The number of a transaction, which nobody can choose, so that no other transaction can write under it.
  // Includes the time, since a backup may be restored to a server that counts from the beginning.
  `create function callsheet.row_batch() returns text language sql stable as $$
     select to_char(transaction_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
       || '-' || pg_current_xact_id() $$`,
  ...['_first_seen_at', 'start_time', 'created_date'].map(noteRows),

  `create table callsheet.manifest (
     account text collate "C" not null,
     seq bigint not null check (seq > 0),
     kind text not null check (kind in ('file', 'record', 'removal', 'erasure', 'statement')),
     subject text collate "C" not null,
     line text collate "C" not null,
     -- The salt of the commitment in the line.
     salt bytea check (length(salt) = 16),
     -- The real subject, if \`subject\`, as the line has it, is only a commitment to it; and that salt.
     about text collate "C",
     about_salt bytea check (length(about_salt) = 16),
     -- The reason, such as a request's number, and the key's signature over it and the line. Entries that
     -- remove or state something need it.
     basis text,
     word bytea check (length(word) = 64),
     primary key (account, seq)
   )`,
  'create index on callsheet.manifest (account, (coalesce(about, subject)))',

  // The signed states of the tree over all entries. A log is renamed only when it continues after a loss of
  // checkpoints. `at`: the time in the last entry.
  `create table callsheet.checkpoints (
     account text collate "C" not null,
     origin text collate "C" not null,
     size bigint not null check (size >= 0),
     note text collate "C" not null,
     key bytea not null,
     at timestamptz not null,
     -- The first run whose audited records may lack entries.
     mark bigint not null default 0,
     primary key (account, origin, size)
   )`,

  // The hashes of the tree over all entries of an account, in tiles. A tile consists of parts, one for each
  // checkpoint; `start` is the position of the part's first hash.
  `create table callsheet.tree_tiles (
     account text collate "C" not null,
     level smallint not null check (level between 0 and 63),
     tile bigint not null check (tile >= 0),
     start smallint not null check (start between 0 and 255),
     hashes bytea not null
       check (length(hashes) > 0 and length(hashes) % 32 = 0 and start + length(hashes) / 32 <= 256),
     primary key (account, level, tile, start)
   )`,

  // Statements of others about a signed checkpoint: a time stamp (`who`: the service's address), a locked
  // copy (`who`: the object), or a witness's cosignature (`who`: its verifier key, which has its name).
  `create table callsheet.marks (
     account text collate "C" not null,
     origin text collate "C" not null,
     size bigint not null,
     kind text not null check (kind in ('stamp', 'lock', 'cosignature')),
     who text collate "C" not null,
     body bytea not null,
     -- The certificates that verify a stamp after its service is gone.
     chain text,
     primary key (account, origin, size, kind, who)
   )`,
  "create unique index on callsheet.marks (account, origin, size, kind) where kind <> 'cosignature'",

  // The configured scope of the audit: which streams are read, how often and how far back, which files are
  // stored, and how long. One row for each change, which the manifest records.
  `create table callsheet.audit_settings (
     id bigint generated always as identity,
     account text collate "C" not null,
     at timestamptz not null,
     noted_by text not null,
     settings jsonb not null,
     primary key (account, id)
   )`,
  'create index audit_settings_newest on callsheet.audit_settings (account, id desc)',

  `create function callsheet.refuse_change() returns trigger language plpgsql as $$
   begin
     raise exception 'callsheet.% is only added to', tg_table_name using errcode = '42501';
   end $$`,
  // Permits an update only if it changes nothing but `about` and the salts, and sets them to null.
  `create function callsheet.forget_only() returns trigger language plpgsql as $$
   declare
     forgotten callsheet.manifest := old;
   begin
     if new.salt is null then forgotten.salt := null; end if;
     if new.about is null then forgotten.about := null; end if;
     if new.about_salt is null then forgotten.about_salt := null; end if;
     if new is distinct from forgotten then
       raise exception 'callsheet.manifest is only added to' using errcode = '42501';
     end if;
     return new;
   end $$`,
  `create trigger forget_only before update on callsheet.manifest
   for each row execute function callsheet.forget_only()`,
  ...['manifest', 'checkpoints', 'tree_tiles', 'marks', 'audit_settings'].flatMap((table) => [
    `create trigger only_added before ${table === 'manifest' ? 'delete' : 'update or delete'}
     on callsheet.${table} for each row execute function callsheet.refuse_change()`,
    `create trigger never_emptied before truncate on callsheet.${table}
     for each statement execute function callsheet.refuse_change()`,
  ]),

  // Percent-encodes a part of a subject, except for the unreserved characters of RFC 3986. A part that needs
  // only the encoding of `%` and of three characters that are frequent in IDs is encoded quickly.
  `create function callsheet.encode_part(part text) returns text
   language sql immutable parallel safe as $$
     select case when quick collate "C" ~ '^[A-Za-z0-9._~%-]*$' then quick else (
       select string_agg(
         case when letter collate "C" ~ '[A-Za-z0-9._~-]' then letter
           else upper(regexp_replace(encode(convert_to(letter, 'UTF8'), 'hex'), '(..)', '%\\1', 'g')) end,
         '' order by n)
       from regexp_split_to_table(part, '') with ordinality as letters (letter, n)) end
     from (select replace(replace(replace(replace(part, '%', '%25'), '/', '%2F'), '+', '%2B'), '=', '%3D')
       as quick) easy $$`,

  // Has no FROM clause, so that Postgres can inline it into statements that call it for each row.
  `create function callsheet.subject_part(part text) returns text
   language sql immutable parallel safe as $$
     select case when part collate "C" ~ '^[A-Za-z0-9._~-]*$' then part
       else callsheet.encode_part(part) end $$`,
]

/**
 * The trigger function that records the rows of a statement, for tables whose rows have their day in
 * `column`. Each operation has its own INSERT, so that each is planned once per table.
 */
function noteRows(column: string): string {
  const insert =
    'insert into callsheet.written (account, place, batch, wrote, took, days, newest_run)'
  const select = 'select account, of_table, callsheet.row_batch()'
  const facts = 'array_agg(distinct day), max(run)'
  const rowsOf = (table: string, isNew?: boolean): string =>
    `select account, ${isNew === undefined ? '' : `${isNew} as is_new, `}record_send(r) as sent,
       (r.${column} at time zone 'UTC')::date - date '1970-01-01' as day,
       greatest(r._run_id, r._deleted_run_id) as run from ${table} r`
  return `create function callsheet.note_rows_by_${column}() returns trigger
   language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
   declare
     of_table text := tg_table_schema || '.' || tg_table_name;
     nulls bytea := (
       select coalesce(string_agg(oidsend(atttypid) || '\\xffffffff', '' order by attnum), '')
       from pg_attribute where attrelid = tg_relid and not attisdropped and attnum > (
         select max(attnum) from pg_attribute where attrelid = tg_relid and attnotnull));
   begin
     if tg_op = 'INSERT' then
       ${insert}
       ${select}, array_agg(${LEAF}), '{}', ${facts}
       from (${rowsOf('added')} offset 0) r group by account;
     elsif tg_op = 'DELETE' then
       ${insert}
       ${select}, '{}', array_agg(${LEAF}), ${facts}
       from (${rowsOf('taken')} offset 0) r group by account;
     else
       ${insert}
       ${select}, coalesce(array_agg(${LEAF}) filter (where is_new), '{}'),
         coalesce(array_agg(${LEAF}) filter (where not is_new), '{}'), ${facts}
       from (${rowsOf('added', true)} union all ${rowsOf('taken', false)} offset 0) r
       group by account;
     end if;
     return null;
   end $$`
}
