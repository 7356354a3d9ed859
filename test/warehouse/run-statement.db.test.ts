import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { refuseMoreRights } from '../../src/warehouse/reporter-rights.ts'
import { runStatement } from '../../src/warehouse/run-statement.ts'
import { type Cast, castOfRoles } from '../security/ordinary-owner.ts'

let cast: Cast
let reader: Warehouse
beforeAll(async () => {
  cast = await castOfRoles()
  reader = connect({ url: cast.url(cast.reporter), poolSize: 1 })
})
afterAll(async () => {
  await reader.close()
  await cast.close()
})

const LIMITS = { rows: 3, characters: 40, timeoutMs: 1_000 }
const run = (text: string) => runStatement(reader, text, LIMITS)

describe('a statement', () => {
  it('returns rows as JSON, one more than the limit, and names the tables that it reads', async () => {
    const answer = await run(
      `select 1 as a, 2 as a union all select 3, 4;\n -- a comment`.replace(';\n', '\n'),
    )
    expect(answer).toEqual({ rows: ['{"a":1,"a":2}', '{"a":3,"a":4}'], tables: [], freshness: [] })
    expect((await run('table report.calendar ;')).rows).toHaveLength(4)
    const [long = ''] = (await run("values (repeat('x', 1000000))")).rows
    expect(long).toHaveLength(41)
    const joined = `with people as (select id from report.history_users)
      select * from people left join report.phone_numbers n using (id) where false`
    expect((await run(joined)).tables).toEqual(['history_users', 'phone_numbers'])
  })

  it.each([
    ['several statements', 'select 1; select 2', /multiple commands/],
    ['a commit', 'select 1; commit', /multiple commands/],
    [
      'the end of the query around it',
      "select 1 as a) q union all (select repeat('x', 9)",
      /syntax/,
    ],
    ['a comment without an end', 'select 1 /*', /unterminated/],
    ['no query', 'commit', /syntax error/],
    ['a reset of the role', 'reset role', /syntax error/],
    ['another role', 'set role pg_monitor', /syntax error/],
    ['a setting', 'set statement_timeout = 0', /syntax error/],
    ['a block', 'do $$ begin perform 1; end $$', /syntax error/],
    ['a COPY to a program', "copy (select 1) to program 'id'", /syntax error/],
    ['a new table', 'select 1 as a into temp mine', /INTO/],
    [
      'a write in WITH',
      'with gone as (delete from report.labels returning 1) select * from gone',
      /WITH|denied/,
    ],
    ['a lock of rows', 'select * from report.users for update', /denied|read-only/],
    ['a file of the server', "select pg_read_file('PG_VERSION')", /permission denied/],
    ['a folder of the server', "select pg_ls_dir('.')", /permission denied/],
    ['a large object', "select lo_import('/etc/hostname')", /permission denied|read-only/],
    ['a new large object', 'select lo_create(0)', /read-only/],
    ['dblink', "select * from dblink('dbname=x', 'select 1') as t(a int)", /does not exist/],
    ['a role in a function', `select set_config('role', 'pg_read_all_data', false)`, /denied/],
    [
      'writing by a setting',
      `select set_config('transaction_read_only', 'off', true)`,
      /must be set before any query/,
    ],
    ['tables of records', 'select * from svc.users', /permission denied/],
    ['tokens', 'select * from callsheet.tokens', /permission denied/],
    ['passwords', 'select * from pg_authid', /permission denied/],
    [
      'a table in a function',
      `select query_to_xml('select * from report.users', true, true, '')`,
      /function/,
    ],
    ['a long sleep', 'select pg_sleep(30)', /timeout/],
    [
      'a long sleep after a setting',
      `select set_config('statement_timeout', '0', false), pg_sleep(30)`,
      /timeout/,
    ],
    [
      'too much work',
      'select count(*) from report.calendar a, report.calendar b, report.calendar c',
      /timeout/,
    ],
  ])('cannot be or contain %s', async (_what, text, came) => {
    const { facts } = await run(text).then(
      (answer) => ({ facts: answer }),
      (error: { facts: object }) => error,
    )
    expect(facts).toMatchObject({
      tried: 'Running the statement',
      came: expect.stringMatching(came),
    })
    expect(facts).toHaveProperty('expected')
    expect(facts).toHaveProperty('todo')
  })
})

describe('the rights of the reader', () => {
  const check = async (role: string) => {
    const other = connect({ url: cast.url(role), poolSize: 1 })
    const said = await refuseMoreRights(other.db, role).then(
      () => undefined,
      (error: { message: string }) => error.message,
    )
    await other.close()
    return said
  }

  it('are those of the reporter, and no other role of Callsheet has only these', async () => {
    expect(await check(cast.reporter)).toBeUndefined()
    for (const role of [cast.owner, cast.writer, cast.receiver, cast.eraser])
      expect(await check(role)).toContain('it has more: ')
    expect(await check(cast.stranger)).toContain(`callsheet migrate --reporter ${cast.stranger}`)
  })

  it.each([
    ['grant select on svc.users to ROLE', 'revoke all on svc.users from ROLE', 'svc.users'],
    [
      'grant select (id) on svc.users to ROLE',
      'revoke all (id) on svc.users from ROLE',
      'svc.users',
    ],
    [
      'grant insert on report.labels to ROLE',
      'revoke insert on report.labels from ROLE',
      'insert on report.labels',
    ],
    [
      'grant create on schema report to ROLE',
      'revoke create on schema report from ROLE',
      'create in the schema',
    ],
    ['grant OWNER to ROLE', 'revoke OWNER from ROLE', 'membership in'],
    ['create table public.open as select 1', 'drop table public.open', undefined],
    [
      'grant all on public.more to public',
      'revoke all on public.more from public',
      'on public.more',
    ],
    [
      "create function public.f() returns int security definer language sql as 'select 1'",
      'drop function public.f()',
      'execute on public.f()',
    ],
  ])('are found to be more after: %s', async (give, take, found) => {
    const admin = connect({ url: inject('serverUrl'), poolSize: 1 })
    const put = (text: string) => {
      const words = text.replaceAll('ROLE', cast.reporter).replaceAll('OWNER', cast.owner)
      return sql.raw(words).execute(/OWNER/.test(text) ? admin.db : cast.owned.db)
    }
    if (give.includes('public.more')) await put('create table public.more as select 1')
    await put(give)
    const said = await check(cast.reporter)
    await put(take)
    if (found === undefined) expect(said).toBeUndefined()
    else expect(said).toContain(found)
    if (give.includes('public.more')) await put('drop table public.more')
    expect(await check(cast.reporter)).toBeUndefined()
    await admin.close()
  })
})
