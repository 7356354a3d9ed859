import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../core/time/clock.ts'
import { connect, type Transaction } from '../warehouse/connect.ts'
import { openDatabase } from './open-database.ts'

/**
 * Returns the name of another configured database that has the account; undefined if none has. Throws if one
 * of these databases cannot be read.
 */
export async function databaseHaving(
  { config, clock }: { config: Config; clock: Clock },
  account: string,
): Promise<string | undefined> {
  for (const { name, settings } of config.otherDatabases ?? []) {
    // An embedded database that was never started has no accounts.
    if (settings.url === null && !existsSync(settings.directory)) continue
    const { url, close } = await openDatabase({ ...config, database: settings }, clock)
    const { allowUnverified } = settings
    const warehouse = connect({ url, poolSize: 1, allowUnverified })
    try {
      if (await hasAccount(warehouse.db, account)) return name
    } finally {
      await warehouse.close()
      await close()
    }
  }
  return undefined
}

async function hasAccount(db: Transaction, account: string): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('callsheet.leases') is not null as there`.execute(db)
  if (rows[0]?.there !== true) return false
  const lease = await db
    .selectFrom('callsheet.leases')
    .select('epoch')
    .where(sql<boolean>`marks <> '{}'`)
    .where('account', '=', account)
    .where('moved_to', 'is', null)
    .executeTakeFirst()
  return lease !== undefined
}
