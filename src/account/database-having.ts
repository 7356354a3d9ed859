import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import type { Config, OtherDatabase } from '../config/schema.ts'
import type { Clock } from '../core/time/clock.ts'
import { connect } from '../warehouse/connect.ts'
import { openDatabase } from './open-database.ts'

interface Asking {
  config: Config
  clock: Clock
}

/**
 * Returns the name of another configured database that has the account; undefined if none has. Throws if one
 * of these databases cannot be read.
 */
export async function databaseHaving(wiring: Asking, account: string): Promise<string | undefined> {
  for (const other of wiring.config.otherDatabases ?? []) {
    // An embedded database that was never started has no accounts.
    if (other.settings.url === null && !existsSync(other.settings.directory)) continue
    if (await hasAccount(wiring, { other, account })) return other.name
  }
  return undefined
}

async function hasAccount(
  { config, clock }: Asking,
  { other: { name, settings }, account }: { other: OtherDatabase; account: string },
): Promise<boolean> {
  const { url, close } = await openDatabase({ ...config, database: settings }, clock)
  const { allowUnverified } = settings
  const warehouse = connect({ url, poolSize: 1, allowUnverified })
  try {
    const { rows } = await sql<{ there: boolean }>`
      select to_regclass('callsheet.leases') is not null as there`.execute(warehouse.db)
    if (rows[0]?.there !== true) return false
    const lease = await warehouse.db
      .selectFrom('callsheet.leases')
      .select('epoch')
      .where(sql<boolean>`marks <> '{}'`)
      .where('account', '=', account)
      .where('moved_to', 'is', null)
      .executeTakeFirst()
    return lease !== undefined
  } finally {
    await warehouse.close()
    await close()
  }
}
