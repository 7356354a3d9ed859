import { type Kysely, sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import { CallsheetError, LoadError } from '../core/errors.ts'
import type { Warehouse } from './connect.ts'
import { isConflict, retryConflicts } from './retry-conflicts.ts'
import type { Database } from './schema/types.ts'

/** Migrations by name, such as `0001_schemas`. */
export type Migrations = Readonly<Record<string, Migration>>

export interface MigrationState {
  name: string
  /** ISO text; undefined if the migration has not run yet. */
  executedAt: string | undefined
}

/** Runs pending migrations in one transaction under an advisory lock. Returns their names. */
export async function migrate(warehouse: Warehouse, migrations: Migrations): Promise<string[]> {
  return warehouse.withClient(async (_client, db) => {
    if (await isUpToDate(db, migrations)) return []
    // Moving many rows may take long, while a second process waits for the lock. Kysely cannot change
    // settings.
    await sql`set statement_timeout = 0`.execute(db)
    await sql`set lock_timeout = '5min'`.execute(db)
    try {
      const { error, results = [] } = await retryConflicts(async () => {
        const ended = await migrator(db, migrations).migrateToLatest()
        if (isConflict(ended.error)) throw ended.error
        return ended
      }).catch((cause: unknown) => ({ error: cause, results: [] }))
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
  const executed = await executedBefore(warehouse.db)
  return Object.keys(migrations)
    .toSorted()
    .map((name) => ({ name, executedAt: executed.get(name) }))
}

/** True if exactly these migrations have run; for any other state the migrator reports what to do. */
async function isUpToDate(db: Kysely<Database>, migrations: Migrations): Promise<boolean> {
  const executed = await executedBefore(db)
  const names = Object.keys(migrations)
  return executed.size === names.length && names.every((name) => executed.has(name))
}

/**
 * Returns the migrations that ran, and when. The migrator itself would list all tables and columns to find
 * this table, which takes seconds with thousands of partitions.
 */
async function executedBefore(db: Kysely<Database>): Promise<Map<string, string>> {
  const { known } = await db
    .selectNoFrom(({ fn, val }) =>
      fn<string | null>('to_regclass', [val('callsheet.migrations')]).as('known'),
    )
    .executeTakeFirstOrThrow()
  if (known === null) return new Map()
  const rows = await db
    .$extendTables<{ 'callsheet.migrations': { name: string; timestamp: string } }>()
    .selectFrom('callsheet.migrations')
    .select(['name', 'timestamp'])
    .execute()
  return new Map(rows.map(({ name, timestamp }) => [name, timestamp]))
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
  const tried = failed === undefined ? 'Migrating the database' : `Applying the migration ${failed}`
  const message =
    error instanceof CallsheetError
      ? error.facts.came
      : error instanceof Error
        ? error.message
        : String(error)
  if (message.startsWith('corrupted migrations'))
    return new LoadError('schema_newer', {
      tried,
      came: `a newer version migrated the database (${message.replace('corrupted migrations: ', '')})`,
      todo: 'use the version of Callsheet that last migrated this database, or a newer one',
    })
  if (error instanceof CallsheetError && failed === undefined) return error
  const denied = error instanceof LoadError && error.code === 'database_permission'
  return new LoadError('migration_failed', {
    tried,
    came: `${message.replace(/\.$/, '')}; nothing was changed`,
    todo: denied
      ? 'run callsheet migrate as the owner of the tables'
      : 'fix the cause that the database names, then run callsheet migrate again',
  })
}
