import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { type AccountMove, moveAccount } from '../../src/account/move-account.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { storeNotification } from '../../src/serve/notifications/stored-notifications.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import { accountTables, heldOf } from '../../src/warehouse/move/account-tables.ts'
import { accountDigests } from '../helpers/account-digests.ts'
import { type TestDatabase, testDatabase } from '../helpers/database.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

/** Two accounts in one database, one of which is moved to another that has a third. */
let world: World
let east: TestDatabase
let there: Warehouse
const ACCOUNT = 'account-0'
const OTHER = 'account-1'
const chosen = jobs.filter(({ name }) => ['users', 'phone-numbers', 'whiteboards'].includes(name))

beforeAll(async () => {
  world = await openWorld({ sizes: TINY, accounts: [{}, {}] })
  east = await testDatabase()
  there = connect({ url: east.url })
  for (const at of [0, 1]) await world.sync({ jobs: chosen, account: world.open(at) })
  await world.mutate()
  await world.sync({ jobs: chosen })
})
afterAll(async () => {
  await there.close()
  await east.drop()
  await world.close()
})

const move = (more: Partial<AccountMove> = {}) =>
  moveAccount({
    account: ACCOUNT,
    from: { name: 'default', warehouse: world.warehouse },
    to: { name: 'east', warehouse: there },
    clock: systemClock,
    signal: new AbortController().signal,
    ...more,
  })

describe('moving an account', () => {
  it('is refused if both names lead to the same database, and changes nothing', async () => {
    const before = await accountDigests(world.warehouse, ACCOUNT)
    const same = connect({ url: world.place.databaseUrl })
    // A machine that works with the database leaves a mark in it.
    await sql`update callsheet.leases set marks = array[gen_random_uuid()]`.execute(same.db)
    await expect(move({ to: { name: 'east', warehouse: same } })).rejects.toMatchObject({
      code: 'account_busy',
      message: expect.stringContaining('both databases are the same one') as string,
    })
    await same.close()
    expect(await accountDigests(world.warehouse, ACCOUNT)).toEqual(before)
  })

  it('is refused while a process works on the account, and copies nothing', async () => {
    const lease = await acquireLease(world.warehouse, {
      account: ACCOUNT,
      job: 'users',
      clock: systemClock,
    })
    await expect(move()).rejects.toMatchObject({ code: 'account_busy', exitCode: 5 })
    await lease.release()
    expect(await accountDigests(there, ACCOUNT)).toEqual({})
  })

  it('copies all its rows to the other database, and removes them from the first', async () => {
    const before = await accountDigests(world.warehouse, ACCOUNT)
    const other = await accountDigests(world.warehouse, OTHER)
    expect(Object.keys(before).length).toBeGreaterThan(15)
    const copied = await move()
    expect(await accountDigests(there, ACCOUNT)).toEqual(before)
    expect(await accountDigests(world.warehouse, ACCOUNT)).toEqual({})
    expect(await accountDigests(world.warehouse, OTHER)).toEqual(other)
    const rows = Object.values(before).reduce((sum, text) => sum + Number.parseInt(text, 10), 0)
    expect([...(copied?.values() ?? [])].reduce((sum, count) => sum + count, 0)).toBe(rows)
  })

  it('does nothing if it is repeated', async () => {
    expect(await move()).toBeUndefined()
  })

  it('makes the other database number new runs after the copied ones', async () => {
    const newest = sql<{ newest: number }>`select max(id) as newest from callsheet.runs`
    const [last] = (await newest.execute(there.db)).rows
    const { rows } = await sql<{ id: number }>`
      insert into callsheet.runs (account, job, epoch, state, started_at)
      values ('new', 'users', 1, 'running', now()) returning id`.execute(there.db)
    await sql`delete from callsheet.runs where account = 'new'`.execute(there.db)
    expect(rows[0]?.id).toBeGreaterThan(last?.newest ?? 0)
  })

  it('makes the first database refuse work and notifications of the account', async () => {
    const wanted = { account: ACCOUNT, job: 'users', clock: systemClock }
    const elsewhere = {
      code: 'account_elsewhere',
      message: expect.stringContaining('moved to the database east') as string,
    }
    await expect(acquireLease(world.warehouse, wanted)).rejects.toMatchObject(elsewhere)
    const kept = () => {
      throw new Error('nothing is stored')
    }
    await expect(
      storeNotification(
        world.warehouse,
        { account: ACCOUNT, hash: Buffer.of(1), columns: undefined },
        kept,
      ),
    ).rejects.toMatchObject(elsewhere)
    const { rows } = await sql<{ account: string }>`
      select distinct account from report.freshness`.execute(world.warehouse.db)
    expect(rows).toEqual([{ account: OTHER }])
  })

  it('can be reversed, and the next sync changes nothing', async () => {
    const before = await accountDigests(there, ACCOUNT)
    await move({
      from: { name: 'east', warehouse: there },
      to: { name: 'default', warehouse: world.warehouse },
    })
    expect(await accountDigests(world.warehouse, ACCOUNT)).toEqual(before)
    expect(await accountDigests(there, ACCOUNT)).toEqual({})
    const [run] = await world.sync({ jobs: chosen.slice(0, 1) })
    expect(run?.state).toBe('complete')
    expect(Object.values(run?.tables ?? {})).not.toHaveLength(0)
    for (const { inserted, updated, deleted } of Object.values(run?.tables ?? {}))
      expect([inserted, updated, deleted]).toEqual([0, 0, 0])
  })

  it('is refused if each database has work that the other lacks', async () => {
    const wanted = { account: OTHER, job: 'users', clock: systemClock }
    await (await acquireLease(there, { ...wanted, restoring: true })).release()
    await sql`insert into callsheet.labels (account, label) values (${OTHER}, 'LIGHT')`.execute(
      there.db,
    )
    await expect(move({ account: OTHER })).rejects.toMatchObject({ code: 'account_not_moved' })
    const tables = await accountTables(there.db)
    expect((await heldOf(world.warehouse.db, OTHER, tables)).rows).toBe(true)
  })
})

describe('moving the tables of an account', () => {
  it('includes all tables except those of the installation and the leases', async () => {
    const { rows } = await sql<{ name: string }>`
      select concat(n.nspname, '.', c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('svc', 'history', 'callsheet', 'report') and c.relkind in ('r', 'p')
        and not c.relispartition order by 1`.execute(there.db)
    const moved = (await accountTables(there.db)).map(({ name }) => name)
    expect(rows.map(({ name }) => name).filter((name) => !moved.includes(name))).toEqual([
      // Says where the account is; the move writes it itself.
      'callsheet.leases',
      // Who shares the work of the installation.
      'callsheet.machines',
      'callsheet.migrations',
      'callsheet.migrations_lock',
      // Since when the ledgers are complete: the move takes the later of the two times.
      'callsheet.retention',
      // Filled from the declarations.
      'report.labels',
    ])
    expect(moved.length).toBeGreaterThan(90)
    expect(moved.indexOf('callsheet.written')).toBe(moved.length - 1)
  })
})
