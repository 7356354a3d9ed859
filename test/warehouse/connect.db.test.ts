import { sql } from 'kysely'
import { from as copyFrom } from 'pg-copy-streams'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LoadError } from '../../src/core/errors.ts'
import { listenAtPoints } from '../../src/core/kill-point.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { connectFailure } from '../helpers/connect-failure.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import { onDatabase } from '../helpers/database-url.ts'
import { startStallingProxy } from '../helpers/stalling-proxy.ts'

let database: TestDatabase
let warehouse: Warehouse
beforeAll(async () => {
  database = await testDatabase()
  warehouse = connect({ url: database.url })
  await sql`create table public.t (id int primary key deferrable initially deferred)`.execute(
    warehouse.db,
  )
})
afterAll(async () => {
  await warehouse.close()
  await database.drop()
})

describe('a connection', () => {
  it('uses UTC, its application name and, if configured, a frozen clock', async () => {
    const frozen = connect({ url: database.url, frozenNow: Date.UTC(2026, 4, 1), poolSize: 2 })
    const query = sql<Record<string, string>>`select callsheet.clock() as clock,
      current_setting('timezone') as zone, current_setting('application_name') as name,
      callsheet.wall() > '2026-06-01' as wall_runs`
    const { rows } = await query.execute(frozen.db)
    expect(rows[0]).toMatchObject({ clock: '2026-05-01T00:00:00Z', zone: 'UTC', name: 'callsheet' })
    await frozen.close()
    const { rows: live } = await query.execute(warehouse.db)
    expect(Math.abs(Date.parse(live[0]?.clock ?? '') - Date.now())).toBeLessThan(60_000)
  })

  it('is replaced if it is lost, idle or in use, and does not end the process', async () => {
    const warnings: string[] = []
    const own = connect({ url: database.url, poolSize: 1, onWarning: (w) => warnings.push(w) })
    await own.ping()
    await terminateOthers()
    await expect.poll(() => warnings).toHaveLength(1)
    await own.ping()
    const cut = own.withClient(async (client) => {
      await terminateOthers()
      return client.query('select 1')
    })
    await expect(cut).rejects.toMatchObject({ code: 'connection_lost' })
    await own.ping()
    await own.close()
  })
})

describe('a transaction', () => {
  it('is shared by Kysely and COPY, and leaves nothing behind if it fails', async () => {
    const run = warehouse.transaction(async (tx, client) => {
      await sql`insert into public.t values (1)`.execute(tx)
      const sink = client.query(copyFrom('copy public.t from stdin'))
      await new Promise((resolve, reject) =>
        sink.on('finish', resolve).on('error', reject).end('2\n'),
      )
      expect(await ids(tx)).toEqual([1, 2])
      throw new Error('on purpose')
    })
    await expect(run).rejects.toThrow('on purpose')
    expect(await ids(warehouse.db)).toEqual([])
  })

  it('does not count as committed if an earlier statement failed', async () => {
    const run = warehouse.transaction(async (tx, client) => {
      await sql`insert into public.t values (3)`.execute(tx)
      await client.query('select 1/0').catch(() => {})
    })
    await expect(run).rejects.toMatchObject({ code: 'commit_rolled_back' })
    expect(await ids(warehouse.db)).toEqual([])
  })

  it('reports a failed commit without values', async () => {
    const run = warehouse.transaction(async (tx) => {
      await sql`insert into public.t values (4), (4)`.execute(tx)
    })
    await expect(run).rejects.toThrow('the data was refused in public.t by t_pkey (23505)')
    await expect(run).rejects.not.toThrow('(4)')
    expect(await ids(warehouse.db)).toEqual([])
  })

  it.each([
    sql`select id, 1 / (id - id) from callsheet.runs union select 1, 1 / 0`,
    sql`insert into callsheet.runs (id) values ('no number')`,
    sql`select no_such_column from svc.users`,
  ])(
    'reports the table of a failed statement, without quoting the statement (%#)',
    async (statement) => {
      const failure: unknown = await statement
        .execute(warehouse.db)
        .catch((error: unknown) => error)
      expect(String(failure)).toMatch(/Querying the table (callsheet\.runs|svc\.users): /)
      expect(String(failure)).not.toMatch(/select|insert|values|union/i)
    },
  )

  it('has an unknown outcome if the connection is lost before COMMIT is answered', async () => {
    await sql`create function public.slow() returns trigger language plpgsql as
      $$ begin perform pg_sleep(30); return null; end $$`.execute(warehouse.db)
    await sql`create table public.s (id int)`.execute(warehouse.db)
    await sql`create constraint trigger slow after insert on public.s deferrable initially deferred
      for each row execute function public.slow()`.execute(warehouse.db)
    const own = connect({ url: database.url, applicationName: 'doomed' })
    const run = own.transaction((tx) => sql`insert into public.s values (1)`.execute(tx))
    const failure = run.catch((error: unknown) => error)
    await expect.poll(() => terminateWhere('doomed', "query = 'commit'")).toBe(1)
    expect(await failure).toMatchObject({ code: 'commit_unknown' })
    await own.close()
  })

  it('does not let Kysely begin another one inside', async () => {
    const run = warehouse.transaction((tx) => tx.transaction().execute(async () => {}))
    await expect(run).rejects.toThrow('inside a transaction already')
  })

  it('answers concurrent queries, each with its own result', async () => {
    const sums = await warehouse.transaction((tx) =>
      Promise.all([1, 2, 3].map((n) => sql<{ n: number }>`select ${n}::int as n`.execute(tx))),
    )
    expect(sums.map(({ rows }) => rows[0]?.n)).toEqual([1, 2, 3])
  })

  it('sees a single state and cannot write if it is a snapshot', async () => {
    await warehouse.transaction(
      async (tx) => {
        expect(await ids(tx)).toEqual([])
        await sql`insert into public.t values (9)`.execute(warehouse.db)
        expect(await ids(tx)).toEqual([])
      },
      { snapshot: true },
    )
    const writing = warehouse.transaction((tx) => sql`delete from public.t`.execute(tx), {
      snapshot: true,
    })
    await expect(writing).rejects.toMatchObject({ code: 'database_read_only' })
    await sql`delete from public.t`.execute(warehouse.db)
  })
})

describe('a transaction with a short timeout', () => {
  const patienceMs = 200

  it('waits for a lock no longer than its timeout, and restores the connection’s settings', async () => {
    const own = connect({ url: database.url, poolSize: 1 })
    await warehouse.transaction(async (holder) => {
      await sql`lock table public.t in access exclusive mode`.execute(holder)
      const run = own.transaction((tx) => ids(tx), { patienceMs })
      await expect(run).rejects.toMatchObject({ code: 'statement_timeout' })
    })
    const { rows } = await sql`select current_setting('statement_timeout') as it`.execute(own.db)
    expect(rows).toEqual([{ it: '2min' }])
    await own.close()
  })

  it.each([
    ['before it begins', 'begin:before', 'connection_lost'],
    ['before its first statement', 'begin:after', 'connection_lost'],
    ['before its commit', 'commit:before', 'commit_unknown'],
  ])('abandons a server that stops responding %s, and reconnects', async (...given) => {
    const [, place, code] = given
    const proxy = await startStallingProxy(database.url)
    const own = connect({ url: proxy.url, poolSize: 1 })
    await own.ping()
    listenAtPoints((name) => {
      if (name === place) proxy.stall()
      return undefined
    })
    const run = own.transaction((tx) => ids(tx), { patienceMs })
    await expect(run.finally(() => listenAtPoints(undefined))).rejects.toMatchObject({ code })
    proxy.pass()
    await own.ping()
    await own.close()
    await proxy.close()
  })
})

describe('an unusable database is reported:', () => {
  it.each([
    ['no server', 'database_unreachable', (url: URL) => void (url.port = '1')],
    ['a wrong password', 'database_login_refused', (url: URL) => void (url.password = 'canary')],
    ['no such database', 'database_missing', (url: URL) => void (url.pathname = '/nowhere')],
  ])('%s, without its password', async (_, code, change) => {
    const url = new URL(database.url)
    change(url)
    const error = await connectFailure({ url: url.href })
    expect(error).toBeInstanceOf(LoadError)
    expect(error.code).toBe(code)
    expect(error.message).toContain(url.host)
    expect(error.message).toContain('What to do')
    for (const secret of [url.password, new URL(database.url).password])
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(secret)
  })

  it('too many connections', async () => {
    const name = new URL(database.url).pathname.slice(1)
    const login = `create role few login password 'few' connection limit 0`
    await sql.raw(login).execute(warehouse.db)
    const url = new URL(onDatabase(database.url, name))
    url.username = url.password = 'few'
    expect((await connectFailure({ url: url.href })).code).toBe('too_many_connections')
    await sql`drop role few`.execute(warehouse.db)
  })

  it('a read-only server', async () => {
    const name = new URL(database.url).pathname.slice(1)
    const setting = (value: string) =>
      sql.raw(`alter database ${name} set default_transaction_read_only = ${value}`)
    await setting('on').execute(warehouse.db)
    const readOnly = connect({ url: database.url })
    const write = sql`insert into public.t values (5)`.execute(readOnly.db)
    await expect(write).rejects.toMatchObject({ code: 'database_read_only' })
    await setting('off').execute(warehouse.db)
    // The connection was closed after the error, so the next one reaches the writable server.
    await sql`insert into public.t values (5)`.execute(readOnly.db)
    await sql`delete from public.t`.execute(readOnly.db)
    await readOnly.close()
  })

  it('a statement that takes too long', async () => {
    const hasty = connect({ url: database.url, statementTimeoutMs: 50 })
    const slow = sql`select pg_sleep(5)`.execute(hasty.db)
    await expect(slow).rejects.toMatchObject({ code: 'statement_timeout' })
    await hasty.close()
  })
})

async function ids(db: Warehouse['db']): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from public.t order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Closes every connection to the database but its own. */
async function terminateOthers(): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(warehouse.db)
}

async function terminateWhere(name: string, condition: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(pg_terminate_backend(pid)) as n from pg_stat_activity
    where application_name = ${name} and ${sql.raw(condition)}`.execute(warehouse.db)
  return rows[0]?.n ?? 0
}
