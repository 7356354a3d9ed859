import type { Config } from '../config/schema.ts'
import type { Observer } from '../core/define/observer.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { Clock } from '../core/time/clock.ts'
import { counted } from '../core/values/quantities.ts'
import { labelCodes } from '../warehouse/code-labels.ts'
import { commentTables, ownsTables } from '../warehouse/comments.ts'
import { connect, type Warehouse } from '../warehouse/connect.ts'
import { migrate, migrationStatus } from '../warehouse/migrate.ts'
import { streams } from './catalog.ts'
import { databaseHaving } from './database-having.ts'
import { createDatabaseNotes } from './database-notes.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open-database.ts'

/** The parts that everything is built from. The demo and the tests make their own. */
export interface Wiring {
  config: Config
  clock: Clock
  observer: Observer
  /** Default: `Math.random`. */
  random?: () => number
  /** Epoch milliseconds at which the database's clock is frozen too. */
  frozenNow?: number
}

export interface OpenWarehouse {
  wiring: Wiring
  warehouse: Warehouse
  embedded: boolean
  close(): Promise<void>
}

/** `true` migrates the tables, `false` requires migrated tables, `unchecked` does not check. */
export type MigrateMode = boolean | 'unchecked'

export async function openWarehouse(wiring: Wiring, mode: MigrateMode): Promise<OpenWarehouse> {
  const { config, clock, observer, frozenNow } = wiring
  const { pool, allowUnverified } = config.database
  const { url, embedded, close: stop } = await openDatabase(config, clock)
  let closing = false
  const warehouse = connect({
    url,
    poolSize: pool,
    allowUnverified,
    notes: createDatabaseNotes(config.stateDirectory, observer),
    elsewhere: (account) => databaseHaving(wiring, account),
    ...(frozenNow === undefined ? {} : { frozenNow }),
    // The embedded server ends connections that the closed pool has not quite released.
    onWarning: (reason) => void (closing || observer.event('database warning', { reason })),
  })
  const close = async (): Promise<void> => {
    closing = true
    await warehouse.close()
    await stop()
  }
  try {
    await prepare(warehouse, mode)
  } catch (error) {
    await close()
    throw error
  }
  return { wiring, warehouse, embedded, close }
}

/** Applies pending migrations and returns their names. Also writes this version's comments and labels. */
export async function migrateTables(warehouse: Warehouse): Promise<string[]> {
  const applied = await migrate(warehouse, migrations)
  await describeTables(warehouse)
  return applied
}

/** Writes comments and labels that differ, if this role owns the tables. Any other role leaves them. */
async function describeTables(warehouse: Warehouse): Promise<void> {
  if (!(await ownsTables(warehouse))) return
  await commentTables(warehouse, streams)
  await labelCodes(warehouse, streams)
}

async function prepare(warehouse: Warehouse, mode: MigrateMode): Promise<void> {
  await warehouse.ping()
  if (mode === 'unchecked') return
  if (mode) return void (await migrateTables(warehouse))
  const pending = (await migrationStatus(warehouse, migrations)).filter((one) => !one.executedAt)
  if (pending.length === 0) return
  throw new ConfigurationError('not_migrated', {
    tried: 'Checking the tables of the database',
    came: `${counted(pending.length, 'migration has', 'migrations have')} not been applied`,
    todo: 'run callsheet migrate, or callsheet sync, which applies them first',
  })
}
