import { type Kysely, sql } from 'kysely'
import { ConfigurationError } from '../core/errors.ts'

/**
 * Throws unless the connected role may read the schema `report` and has no other right. A role may have
 * rights of its own, rights of everybody, and rights of a role that it is a member of.
 */
export async function refuseMoreRights<T>(db: Kysely<T>, role: string): Promise<void> {
  const { rows } = await RIGHTS_BEYOND.execute(db)
  const beyond = rows.map(({ name }) => name)
  const shown = beyond.slice(0, SHOWN).join('; ')
  if (beyond.length > 0)
    throw new ConfigurationError('role_unfit', {
      tried: `Checking the rights of the database role ${role}`,
      expected: 'a role that may read the schema report, and nothing else',
      came: `it has more: ${shown}${beyond.length > SHOWN ? `; and ${beyond.length - SHOWN} more` : ''}`,
      todo: 'set mcp.user to a role of its own, or revoke these rights (from public, if everybody has them)',
    })
  const { rows: lacking } = await LACKING.execute(db)
  if (lacking.length === 0) return
  throw new ConfigurationError('role_unfit', {
    tried: `Checking the rights of the database role ${role}`,
    expected: 'a role that may read the schema report',
    came: 'it may not',
    todo: `as the owner of the tables, run callsheet migrate --reporter ${role}`,
  })
}

const SHOWN = 5

/**
 * `pg_shdepend` lists each object whose owner or access list names the role. The other parts list what the
 * role has through everybody. The catalogs of Postgres itself are the same for every role.
 */
const RIGHTS_BEYOND = sql<{ name: string }>`
  with me as (select * from pg_roles where rolname = current_user),
  spaces as (
    select oid, nspname from pg_namespace
    where nspname !~ '^pg_' and nspname <> 'information_schema' and has_schema_privilege(oid, 'usage')),
  reported as (
    select c.oid from pg_class c where c.relnamespace = to_regnamespace('report')
      and c.relkind in ('r', 'p', 'v'))
  select 'the attribute ' || name as name from me, unnest(array[
    case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
    case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
    case when rolbypassrls then 'bypassrls' end]) name where name is not null
  union all
  select 'membership in ' || m.roleid::regrole from pg_auth_members m, me where m.member = me.oid
  union all
  select case d.deptype when 'o' then 'ownership of ' else 'a grant on ' end
    || pg_describe_object(d.classid, d.objid, d.objsubid)
  from pg_shdepend d, me
  where d.refclassid = 'pg_authid'::regclass and d.refobjid = me.oid and d.deptype in ('o', 'a')
    and d.dbid in (0, (select oid from pg_database where datname = current_database()))
    and not (d.deptype = 'a' and (
      d.classid = 'pg_database'::regclass
      or d.classid = 'pg_namespace'::regclass and d.objid = to_regnamespace('report')
      or d.classid = 'pg_class'::regclass and d.objid in (select oid from reported)
      or d.classid = 'pg_proc'::regclass and exists (
        select from pg_proc f where f.oid = d.objid and f.proname in ('clock', 'no_list')
          and f.pronamespace = to_regnamespace('callsheet'))))
  union all
  select kind || ' on ' || c.oid::regclass
  from pg_class c join spaces s on s.oid = c.relnamespace,
    unnest('{select,insert,update,delete,truncate,references,trigger}'::text[]) kind
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
    and not (kind = 'select' and c.oid in (select oid from reported))
    and case when kind in ('delete', 'truncate', 'trigger') then has_table_privilege(c.oid, kind)
      else has_any_column_privilege(c.oid, kind) end
  union all
  select 'execute on ' || p.oid::regprocedure from pg_proc p join spaces s on s.oid = p.pronamespace
  where has_function_privilege(p.oid, 'execute')
  union all
  select 'create in the schema ' || nspname from spaces where has_schema_privilege(oid, 'create')
  union all
  select 'create in the database' where has_database_privilege(current_database(), 'create')`

const LACKING = sql`
  select from (select to_regclass('report.freshness') as view) r
  where not coalesce(has_schema_privilege(to_regnamespace('report'), 'usage')
    and has_table_privilege(r.view, 'select'), false)`
