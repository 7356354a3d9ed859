import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs, reports } from '../../src/account/catalog.ts'
import { migrations } from '../../src/account/migrations.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { receiveNotification } from '../../src/serve/notifications/receive-notification.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { migrate } from '../../src/warehouse/migrate.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../helpers/world.ts'
import { type Cast, castOfRoles } from './ordinary-owner.ts'
import { schemaOf } from './schema-of.ts'

let cast: Cast
let writer: Warehouse
let reporter: Warehouse
let world: World
beforeAll(async () => {
  cast = await castOfRoles()
  writer = connect({ url: cast.url(cast.writer), frozenNow: Date.parse(WORLD_NOW) })
  reporter = connect({ url: cast.url(cast.reporter) })
  const database = { url: cast.url(cast.writer), drop: () => Promise.resolve() }
  world = await openWorld({ sizes: TINY }, database)
})
afterAll(async () => {
  await world.close()
  await writer.close()
  await reporter.close()
  await cast.close()
})

/** Of every report, by the files' names. */
async function publishedHashes(): Promise<Map<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-roles-'))
  const hashes = new Map<string, string>()
  for (const report of reports) {
    const request = {
      report,
      account: 'account-0',
      params: 'user' in report.params.shape ? { user: 'nobody' } : {},
      timeZone: 'UTC',
      formats: ['csv'] as const,
    }
    const { files } = await publishReport(world.account.deps, { ...request, directory })
    for (const { path, sha256 } of files) hashes.set(path.slice(directory.length), sha256)
  }
  rmSync(directory, { recursive: true })
  return hashes
}

describe('the writer', () => {
  it('completes a sync of an account and publishes every report', async () => {
    const runs = await world.sync()
    expect(runs.map(({ state }) => state)).toEqual(runs.map(() => 'complete'))
    expect(runs).toHaveLength(jobs.length)
    await world.mutate()
    const again = await world.sync({ full: true })
    expect(again.map(({ state }) => state)).toEqual(again.map(() => 'complete'))
    expect((await publishedHashes()).size).toBeGreaterThan(reports.length)
  })

  it('publishes the same reports without the right to create temporary tables', async () => {
    const before = await publishedHashes()
    const database = new URL(cast.url(cast.owner)).pathname.slice(1)
    const temporary = sql`temporary on database ${sql.id(database)}`
    await sql`revoke ${temporary} from public`.execute(cast.owned.db)
    try {
      const refused = sql`create temporary table mine (n int)`.execute(writer.db)
      await expect(refused).rejects.toMatchObject({ code: 'database_permission' })
      expect(await publishedHashes()).toEqual(before)
    } finally {
      await sql`grant ${temporary} to public`.execute(cast.owned.db)
    }
  })

  it('creates month partitions, and the owner role owns them', async () => {
    const { rows } = await sql<{ name: string; owner: string }>`
      select relname as name, relowner::regrole::text as owner from pg_class
      where relispartition and relkind = 'r' and relname ~ '_2026_0[78]$'`.execute(cast.owned.db)
    expect(rows.length).toBeGreaterThan(20)
    expect(new Set(rows.map(({ owner }) => owner))).toEqual(new Set([cast.owner]))
  })

  it.each([
    'create table svc.mine (n int)',
    'create table public.mine (n int)',
    'create schema mine',
    'alter table svc.users add column mine int',
    'drop table svc.users',
    'truncate svc.users',
    'delete from svc.users',
    'delete from history.users',
    'update history.users set _end = null',
    'delete from callsheet.slices',
    'update callsheet.slices set state = null',
    'delete from callsheet.tokens',
    'update callsheet.migrations set name = null',
    'create index on svc.users (email)',
    'create function callsheet.mine() returns int language sql return 1',
    "create or replace function callsheet.wall() returns timestamptz language sql return '-infinity'",
    'alter function callsheet.make_partitions(text, text) security invoker',
  ])('is refused: %s', async (statement) => {
    const refused = sql.raw(statement).execute(writer.db)
    await expect(refused).rejects.toMatchObject({ code: 'database_permission' })
  })

  it('accepts a migrated database, and otherwise asks for a migration by the tables’ owner', async () => {
    expect(await migrate(writer, migrations)).toEqual([])
    const later = { ...migrations, '9999_later': { up: addColumn } }
    const refused = migrate(writer, later)
    await expect(refused).rejects.toMatchObject({ code: 'migration_failed' })
    await expect(refused).rejects.toThrow('run callsheet migrate as the owner of the tables')
  })

  it('cannot inject SQL through the arguments of the partition function', async () => {
    const before = await schemaOf(cast.owned)
    for (const name of [`users; drop table svc.users`, `users" (`, `'; --`, 'pg_class', ''])
      for (const space of ['history', 'pg_catalog', `history"; --`])
        await sql`select callsheet.make_partitions(${space}, ${name})`.execute(writer.db)
    expect(await schemaOf(cast.owned)).toEqual(before)
  })

  it('cannot shadow a catalog table that the partition function reads', async () => {
    await writer.withClient(async (client) => {
      await client.query('create temp table pg_class (oid oid, relname name)')
      await client.query('set search_path = pg_temp, pg_catalog')
      await client.query("set callsheet.now = '2026-09-15T00:00:00Z'")
      await client.query("select callsheet.make_partitions('history', 'users')")
      const made = await client.query(
        "select to_regclass('history.users_2026_10') is not null as made",
      )
      expect(made.rows).toEqual([{ made: true }])
      await client.query('reset all')
      await client.query('drop table pg_temp.pg_class')
    })
  })
})

describe('the reporter', () => {
  it('reads every view and table in report', async () => {
    const { rows } = await sql<{ schema: string; name: string }>`
      select schemaname as schema, viewname as name from pg_views where schemaname = 'report'
      union all select schemaname, tablename from pg_tables where schemaname = 'report'`.execute(
      reporter.db,
    )
    expect(rows.length).toBeGreaterThan(60)
    for (const { schema, name } of rows)
      await sql`select count(*) from ${sql.id(schema, name)}`.execute(reporter.db)
    const { rows: sessions } =
      await sql`select state from report.whiteboard_sessions limit 1`.execute(reporter.db)
    expect(sessions).toHaveLength(1)
  })

  it.each([
    'select 1 from callsheet.tokens',
    'select 1 from callsheet.runs',
    'select 1 from callsheet.quarantine',
    'select 1 from history.users',
    'select 1 from svc.users',
    'select 1 from callsheet.parts',
    'delete from report.labels',
    "update report.users set email = ''",
    'delete from svc.users',
    "insert into svc.users (account, id) values ('a', 'b')",
    'create view report.mine as select 1',
    "select callsheet.make_partitions('history', 'users')",
  ])('is refused: %s', async (statement) => {
    const refused = sql.raw(statement).execute(reporter.db)
    await expect(refused).rejects.toMatchObject({ code: 'database_permission' })
  })
})

describe('the receiver', () => {
  it('can store notifications and removal requests, and nothing else', async () => {
    const receiver = connect({ url: cast.url(cast.receiver) })
    expect(await migrate(receiver, migrations)).toEqual([])
    const deps = { warehouse: receiver, clock: systemClock, observer: silentObserver }
    const owner = { account: 'a', accountId: null, clientId: null, secret: 's' }
    const told = {
      event: 'svcroom.created',
      event_ts: 1_783_477_800,
      payload: { object: { id: 'r' } },
    }
    const removed = {
      event: 'app_deauthorized',
      event_ts: 1_783_477_800,
      payload: { user_id: 'u' },
    }
    for (const body of [told, { ...told, event: 'svcroom.deleted' }, removed])
      expect(await receiveNotification(deps, owner, Buffer.from(JSON.stringify(body)))).toBe(
        'stored',
      )
    for (const statement of [
      'select 1 from svc.users',
      'select 1 from callsheet.tokens',
      'select 1 from report.notifications',
      'delete from callsheet.notifications',
      "update callsheet.notifications set state = 'stored'",
      'update callsheet.erasure_requests set due_at = requested_at',
      'create table callsheet.mine (n int)',
    ])
      await expect(sql.raw(statement).execute(receiver.db)).rejects.toMatchObject({
        code: 'database_permission',
      })
    await receiver.close()
  })
})

async function addColumn(db: Kysely<unknown>): Promise<void> {
  await sql`alter table svc.users add column later int`.execute(db)
}

it('every connection searches only the catalog for unqualified names', async () => {
  const { rows } = await sql<{ path: string }>`
    select current_setting('search_path') as path`.execute(writer.db)
  expect(rows).toEqual([{ path: 'pg_catalog,pg_temp' }])
})
