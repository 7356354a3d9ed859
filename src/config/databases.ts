import { DEFAULT_DATABASE } from './default-database.ts'
import type { Config, OtherDatabase } from './schema.ts'

/** A database, and a configuration that has only this database and its accounts. */
export interface DatabaseConfig {
  database: string
  config: Config
}

/** Returns each database that has accounts, in the order in which the accounts name them. */
export function databasesOf(config: Config): DatabaseConfig[] {
  const byDatabase = Map.groupBy(config.accounts, ({ database }) => database)
  const all = allDatabases(config)
  return [...byDatabase].map(([database, accounts]) => ({
    database,
    config: {
      ...config,
      accounts,
      database: settingsOf(config, database),
      otherDatabases: all.filter(({ name }) => name !== database),
    },
  }))
}

/** Returns the database of an account; undefined if there is no such account. */
export function databaseOf(config: Config, account: string): DatabaseConfig | undefined {
  return databasesOf(config).find((one) => one.config.accounts.some(({ name }) => name === account))
}

/** Returns the account if commands must name it; undefined if there is only one account and one database. */
export function accountToName(
  { accounts, databases }: Pick<Config, 'accounts' | 'databases'>,
  account: string,
): string | undefined {
  return accounts.length > 1 || Object.keys(databases).length > 0 ? account : undefined
}

/** Returns every configured database, also those without accounts. */
export function allDatabases(config: Config): OtherDatabase[] {
  const names = [DEFAULT_DATABASE, ...Object.keys(config.databases)]
  return names.map((name) => ({ name, settings: settingsOf(config, name) }))
}

function settingsOf({ database, databases }: Config, name: string): Config['database'] {
  const other = databases[name]
  return other === undefined ? database : { ...other, directory: database.directory }
}
