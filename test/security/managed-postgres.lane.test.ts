import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { jobs } from '../../src/account/catalog.ts'
import { migrations } from '../../src/account/migrations.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { migrate } from '../../src/warehouse/migrate.ts'
import { grantRoles } from '../../src/warehouse/roles.ts'
import { erase, tablesWith } from '../erasure/stage.ts'
import { onDatabase } from '../helpers/database-url.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

// What a managed service gives: a role that may make databases and roles, and is no superuser. It makes the
// database and does everything in it.

const suffix = randomBytes(4).toString('hex')
const [master, database] = [`master_${suffix}`, `managed_${suffix}`]
const roles = ['writer', 'reporter', 'receiver', 'eraser'].map((name) => `${name}_${suffix}`)
let admin: Warehouse
let world: World
let applied: string[]
// An erasure creates the report anew where it was published.
const directory = mkdtempSync(join(tmpdir(), 'callsheet-managed-'))

beforeAll(async () => {
  admin = connect({ url: inject('serverUrl'), poolSize: 1 })
  await sql
    .raw(`create role ${master} login createdb createrole password '${master}'`)
    .execute(admin.db)
  const first = connect({ url: urlOf('postgres'), poolSize: 1 })
  await first.withClient((client) => client.query(`create database ${database}`))
  for (const role of roles) await sql.raw(`create role ${role} login`).execute(first.db)
  await first.close()
  const owned = connect({ url: urlOf(database) })
  applied = await migrate(owned, migrations)
  await owned.close()
  world = await openWorld(
    { sizes: TINY, archive: { files: true } },
    { url: urlOf(database), drop: () => Promise.resolve() },
  )
})
afterAll(async () => {
  await world.close()
  await sql.raw(`drop database ${database} with (force)`).execute(admin.db)
  for (const role of [...roles, master]) await sql.raw(`drop role ${role}`).execute(admin.db)
  await admin.close()
  rmSync(directory, { recursive: true })
})

function urlOf(name: string): string {
  const url = new URL(onDatabase(inject('serverUrl'), name))
  url.username = url.password = master
  return url.href
}

it('the owner is not a superuser, cannot replicate and cannot bypass row security', async () => {
  const { rows } =
    await sql`select current_user::text as name, rolsuper or rolreplication or rolbypassrls as more
    from pg_roles where rolname = current_user`.execute(world.warehouse.db)
  expect(rows).toEqual([{ name: master, more: false }])
})

it('the owner creates all tables and grants the other roles their rights', async () => {
  expect(applied).toEqual(Object.keys(migrations).toSorted())
  const [writer = '', reporter = '', receiver = '', eraser = ''] = roles
  const given = await grantRoles(world.warehouse, { writer, reporter, receiver, eraser })
  expect(given).toEqual(roles)
})

it('the owner completes a sync of all jobs', async () => {
  const runs = await world.sync()
  expect(runs.map(({ state }) => state)).toEqual(runs.map(() => 'complete'))
  expect(runs).toHaveLength(jobs.length + 1)
  await world.mutate()
  const again = await world.sync({ full: true })
  expect(again.map(({ state }) => state)).toEqual(again.map(() => 'complete'))
})

it('the owner publishes a report', async () => {
  const { files, covered } = await publishReport(world.account.deps, {
    report: whiteboardAudit,
    account: 'account-0',
    params: {},
    timeZone: 'UTC',
    formats: ['xlsx'],
    directory,
  })
  expect([files.length, covered]).toEqual([1, true])
})

it('the owner erases a person, and no row still holds the person’s data', async () => {
  const { rows } = await sql<{ id: string; email: string }>`
    select id, email from svc.users where status = 'active' order by id limit 1`.execute(
    world.warehouse.db,
  )
  const person = rows[0]!
  expect(await tablesWith(world.warehouse, [person.id])).toContain('svc.users')
  const [erased] = await erase(world, { persons: [person.id] })
  expect(erased?.outcome.leftBehind).toEqual({})
  expect(await tablesWith(world.warehouse, [person.id, person.email])).toEqual([])
})
