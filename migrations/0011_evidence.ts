import { type Kysely, sql } from 'kysely'

/**
 * The manifest of evidence and its signed heads. Entries and heads are only ever added: nobody changes or
 * takes one away by SQL. Salts lie apart, so that an erasure can remove them and leave the chain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table callsheet.manifest (
     account text collate "C" not null,
     seq bigint not null check (seq > 0),
     kind text not null check (kind in ('file', 'record', 'removal', 'erasure')),
     subject text collate "C" not null,
     line text collate "C" not null,
     hash bytea not null check (length(hash) = 32),
     primary key (account, seq)
   )`,
  'create index on callsheet.manifest (account, subject)',

  `create table callsheet.manifest_salts (
     account text collate "C" not null,
     seq bigint not null,
     salt bytea not null check (length(salt) = 16),
     primary key (account, seq)
   )`,

  `create table callsheet.heads (
     account text collate "C" not null,
     number bigint not null check (number > 0),
     first_seq bigint not null,
     last_seq bigint not null,
     line text collate "C" not null,
     hash bytea not null check (length(hash) = 32),
     signature bytea not null check (length(signature) = 64),
     public_key bytea not null,
     signed_at timestamptz not null,
     primary key (account, number)
   )`,

  // Time stamps and copies elsewhere, which come after the head is signed.
  `create table callsheet.anchors (
     account text collate "C" not null,
     number bigint not null,
     kind text not null check (kind in ('rfc3161', 'locked_object')),
     at timestamptz not null,
     place text not null,
     token bytea,
     primary key (account, number, kind)
   )`,

  // Up to which run the audited records have entries.
  `create table callsheet.evidence_marks (
     account text collate "C" not null,
     stream text not null,
     run_id bigint not null,
     primary key (account, stream)
   )`,

  `create function callsheet.refuse_change() returns trigger language plpgsql as $$
   begin
     raise exception 'callsheet.% is only added to', tg_table_name using errcode = '42501';
   end $$`,
  ...['manifest', 'heads', 'anchors'].flatMap((table) => [
    `create trigger only_added before update or delete on callsheet.${table}
       for each row execute function callsheet.refuse_change()`,
    `create trigger never_emptied before truncate on callsheet.${table}
       for each statement execute function callsheet.refuse_change()`,
  ]),

  // Percent-encodes a part of a subject, but for the unreserved characters of RFC 3986. IDs often hold the
  // four characters that are replaced first; all others are seldom, and slower.
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

  // Without a from clause it becomes a part of the statements that call it, for each row of a table.
  `create function callsheet.subject_part(part text) returns text
   language sql immutable parallel safe as $$
     select case when part collate "C" ~ '^[A-Za-z0-9._~-]*$' then part
       else callsheet.encode_part(part) end $$`,

  // The audited records that a run wrote.
  'create index on svc.whiteboard_sessions (account, _run_id)',
  'create index on svc.whiteboard_activities (account, _run_id)',
  'create index on history.whiteboard_sessions (account, _run_id)',
  'create index on history.whiteboard_activities (account, _run_id)',
  'revoke all on all tables in schema callsheet from public',
  'revoke all on all functions in schema callsheet from public',
]
