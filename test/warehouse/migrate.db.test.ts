import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { migrations } from '../../src/account/migrations.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { migrate, migrationStatus } from '../../src/warehouse/migrate.ts'
import { onDatabase } from '../helpers/database-url.ts'

const name = `m_${randomBytes(6).toString('hex')}`
let admin: Warehouse
let warehouse: Warehouse
beforeAll(async () => {
  admin = connect({ url: inject('serverUrl'), poolSize: 1 })
  await admin.withClient((client) => client.query(`create database ${name}`))
  warehouse = connect({ url: onDatabase(inject('serverUrl'), name) })
})
afterAll(async () => {
  await warehouse.close()
  await admin.withClient((client) => client.query(`drop database ${name} with (force)`))
  await admin.close()
})

// These tests depend on their order: an empty database, a broken migration, all migrations, a newer schema.
describe('the migration of a database', () => {
  it('reports all migrations of an empty database as pending', async () => {
    const states = await migrationStatus(warehouse, migrations)
    expect(states.map((state) => state.name)).toEqual(Object.keys(migrations))
    expect(states.every((state) => state.executedAt === undefined)).toBe(true)
  })

  it('changes nothing if a migration fails, and names it', async () => {
    const broken = {
      ...migrations,
      '9999_broken': { up: run('create table svc.half (n int)', 'oops') },
    }
    const failing = migrate(warehouse, broken)
    await expect(failing).rejects.toMatchObject({ code: 'migration_failed' })
    await expect(failing).rejects.toThrow('Applying the migration 9999_broken')
    const { rows } = await sql`select 1 from pg_namespace where nspname = 'svc'`.execute(
      warehouse.db,
    )
    expect(rows).toEqual([])
  })

  it('runs each migration once if two processes migrate in parallel, and none later', async () => {
    const ran = await Promise.all([migrate(warehouse, migrations), migrate(warehouse, migrations)])
    expect(ran.flat()).toEqual(Object.keys(migrations))
    expect(await migrate(warehouse, migrations)).toEqual([])
    const states = await migrationStatus(warehouse, migrations)
    expect(states.every(({ executedAt }) => /^20\d\d-/.test(executedAt ?? ''))).toBe(true)
  })

  it('does not read the descriptions of all tables if nothing is pending', async () => {
    await warehouse.transaction(async (tx) => {
      await sql`lock table pg_description in access exclusive mode`.execute(tx)
      expect(await migrate(warehouse, migrations)).toEqual([])
      const states = await migrationStatus(warehouse, migrations)
      expect(states.filter(({ executedAt }) => executedAt === undefined)).toEqual([])
    })
  }, 10_000)

  it('refuses a database that a newer version has migrated', async () => {
    const { '0005_calls': _, ...older } = migrations
    const refused = migrate(warehouse, older)
    await expect(refused).rejects.toMatchObject({ code: 'schema_newer' })
    await expect(refused).rejects.toThrow('0005_calls')
  })

  it('restores the timeouts of the connection', async () => {
    await migrate(warehouse, migrations)
    const { rows } = await sql<{ statement: string; lock: string }>`
      select current_setting('statement_timeout') as statement,
        current_setting('lock_timeout') as lock`.execute(warehouse.db)
    expect(rows).toEqual([{ statement: '2min', lock: '15s' }])
  })
})

const run =
  (...statements: string[]) =>
  async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
