import { type Kysely, sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import { CallsheetError, LoadError } from '../../core/errors/errors.ts'
import type { Warehouse } from './connect.ts'
import type { Database } from './types.ts'

/** By name, `0001_engine` and so on. */
export type Migrations = Readonly<Record<string, Migration>>

export interface MigrationState {
  name: string
  /** ISO text; undefined if it has not run yet. */
  executedAt: string | undefined
}

/**
 * Brings the database up to date in one transaction under an advisory lock. Returns the names of the
 * migrations that ran.
 */
export async function migrate(warehouse: Warehouse, migrations: Migrations): Promise<string[]> {
  return warehouse.withClient(async (_client, db) => {
    // Moving many rows may take long, and a second process waits here for the first. Kysely cannot express
    // settings.
    await sql`set statement_timeout = 0`.execute(db)
    await sql`set lock_timeout = '5min'`.execute(db)
    try {
      const { error, results = [] } = await migrator(db, migrations).migrateToLatest()
      if (error !== undefined) throw migrationError(error, results)
      return results.map(({ migrationName }) => migrationName)
    } finally {
      await sql`reset statement_timeout`.execute(db).catch(() => {})
      await sql`reset lock_timeout`.execute(db).catch(() => {})
    }
  })
}

export async function migrationStatus(
  warehouse: Warehouse,
  migrations: Migrations,
): Promise<MigrationState[]> {
  const states = await migrator(warehouse.db, migrations).getMigrations()
  return states.map(({ name, executedAt }) => ({ name, executedAt: executedAt?.toISOString() }))
}

function migrator(db: Kysely<Database>, migrations: Migrations): Migrator {
  const provider: MigrationProvider = { getMigrations: async () => ({ ...migrations }) }
  return new Migrator({
    db,
    provider,
    migrationTableSchema: 'callsheet',
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
  })
}

function migrationError(
  error: unknown,
  results: readonly { migrationName: string; status: string }[],
): Error {
  const failed = results.find(({ status }) => status === 'Error')?.migrationName
  const tried = failed === undefined ? 'migrating the database' : `migrating by ${failed}`
  const message = error instanceof Error ? error.message : String(error)
  if (message.startsWith('corrupted migrations'))
    return new LoadError('schema_newer', {
      tried,
      expected: 'a database that this version or an earlier one made',
      came: message.replace('corrupted migrations: ', ''),
      todo: 'use the version of Callsheet that last migrated this database, or a newer one',
    })
  if (error instanceof CallsheetError && failed === undefined) return error
  const denied = error instanceof LoadError && error.code === 'database_permission'
  return new LoadError('migration_failed', {
    tried,
    came: `${message} Nothing was changed`,
    ...(denied ? { todo: 'run callsheet migrate as the owner of the tables' } : {}),
  })
}
