import { type Kysely, sql } from 'kysely'
import { BOOKKEEPING } from './frozen/data-tables.ts'

/**
 * Every field that the documents name, and the values that came in another plain spelling than the documents
 * show and were left empty: what is held is filled in from its payload, so that no record is read for it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** A column for the current rows and for the versions before. */
const add = (table: string, column: string, type: string): string[] =>
  ['svc', 'history'].map((schema) => `alter table ${schema}.${table} add column ${column} ${type}`)

/**
 * What a column of a type reads of a payload's field, as `Column.read` does. Only what was read as an instant
 * is cast to one: a cast of any other text may fail, and all migrations with it.
 */
const READ = `case type
  when 'boolean' then format('case callsheet.plain_text(%s) when ''1'' then true when ''0'' then false end',
    field)
  when 'bigint' then format('case when %1$s #>> ''{}'' ~ ''^[+-]?\\d{1,18}(\\.0+)?$''
    then split_part(%1$s #>> ''{}'', ''.'', 1)::bigint end', field)
  when 'timestamp with time zone' then format('coalesce(callsheet.instant_text(%1$s #>> ''{}''),
    case when %1$s #>> ''{}'' ~ ''^\\d{9,14}$'' then callsheet.plain_text(%1$s) end)::timestamptz', field)
  when 'ARRAY' then format('array[%s #>> ''{}'']', field)
  else format('case when jsonb_typeof(%1$s) = ''string'' or %1$s #>> ''{}'' ~ ''^-?\\d+$''
    then %1$s #>> ''{}'' end', field) end`

/** Of texts, digits and yes or no alone: lists and objects are read as they were. */
const FILL = `
  do $$
  declare filling record;
  begin
    for filling in
      with named as (
        select table_schema, table_name, column_name as name, data_type as type,
          format('(_raw -> %L)', coalesce(alias, column_name)) as field
        from information_schema.columns c
          left join (values ('assigned_to_name', 'assgined_to_name')) as a(of, alias)
            on a.of = c.column_name
        where table_schema in ('svc', 'history') and data_type <> 'jsonb'
          and column_name !~ '^_' and column_name <> 'account'
          and (table_name, column_name) <> ('session_reports', 'duration')
          and exists (select 1 from information_schema.columns r where r.table_schema = c.table_schema
            and r.table_name = c.table_name and r.column_name = '_raw')
          and exists (select 1 from pg_class p join pg_namespace n on n.oid = p.relnamespace
            where n.nspname = c.table_schema and p.relname = c.table_name and not p.relispartition)),
      readable as (
        select *, ${READ} as value,
          format('%I is null and jsonb_typeof(%s) in (''string'', ''number'', ''boolean'')
            and %2$s <> ''""''', name, field) as lacks
        from named)
      select format('update %I.%I set %s where %s', table_schema, table_name,
        string_agg(format('%I = case when %s then %s else %1$I end', name, lacks, value), ', '),
        string_agg(format('(%s and %s is not null)', lacks, value), ' or ')) as statement
      from readable group by table_schema, table_name
    loop
      execute filling.statement;
    end loop;
  end $$`

const STATEMENTS = [
  ...add('user_details', 'account_id', 'text'),
  ...add('user_details', 'pic_url', 'text'),
  ...add('whiteboard_collaborators', 'avatar', 'text'),
  ...add('trashed_recordings', 'duration', 'bigint'),
  ...add('trashed_recordings', 'total_size', 'bigint'),

  `create table svc.sms_consent_details (
     account text collate "C" not null,
     consent_id text collate "C" not null,
     user_id text,
     capacity bigint,
     ${BOOKKEEPING},
     primary key (account, consent_id)
   )`,
  `create table history.sms_consent_details (
     like svc.sms_consent_details,
     _valid_from timestamptz not null,
     _valid_to timestamptz not null,
     _ended_by_run bigint not null,
     _end text not null check (_end in ('changed', 'gone'))
   ) partition by range (_valid_to)`,
  `create table history.sms_consent_details_default partition of history.sms_consent_details default`,
  // FILL updates its rows, which a publication for all tables forbids where nothing identifies them.
  `alter table history.sms_consent_details_default replica identity full`,
  `create index on history.sms_consent_details (account, consent_id, _valid_to)`,
  FILL,

  `create view report.sms_consent_details as select account, consent_id, user_id, capacity
   from svc.sms_consent_details where _deleted_at is null`,
  // Whoever reads a view by name or place finds what was there where it was.
  `create or replace view report.trashed_recordings as select account,
     session_id, session_key, session_name, start_time, recording_count, duration, total_size
   from svc.trashed_recordings where _deleted_at is null`,
  `create or replace view report.user_details as select account,
     id, display_name, role_id, role_name, dept, job_title, company, cost_center, location,
     timezone, language, cluster, account_number, jid, cms_user_id, phone_country, phone_number,
     pmi, use_pmi, verified, group_ids, im_group_ids, login_types, custom_attributes,
     user_created_at, created_at, last_login_time, last_client_version, account_id, pic_url
   from svc.user_details where _deleted_at is null`,
  `create or replace view report.whiteboard_collaborators as select account,
     whiteboard_id, collaborator_id, collaborator_name, collaborator_type, role, user_id, email,
     channel_id, count(*) over (partition by account, whiteboard_id) >= 1000 as possibly_truncated,
     avatar
   from svc.whiteboard_collaborators where _deleted_at is null`,
]
