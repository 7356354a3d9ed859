import { connect } from '../../src/warehouse/connect.ts'
import { onDatabase } from '../helpers/database-url.ts'

/** A backup of a database, as the server itself copies it. */
export interface Backup {
  /** Puts the database back to what it was; whoever is connected is cut off. */
  restore(): Promise<void>
  drop(): Promise<void>
}

/** Nobody may be connected to the database. */
export async function backUp(databaseUrl: string): Promise<Backup> {
  const name = new URL(databaseUrl).pathname.slice(1)
  const backup = `${name}_backup`
  await administer(databaseUrl, `create database ${backup} template ${name}`)
  return {
    async restore() {
      await administer(databaseUrl, `drop database ${name} with (force)`)
      await administer(databaseUrl, `create database ${name} template ${backup}`)
    },
    drop: () => administer(databaseUrl, `drop database if exists ${backup} with (force)`),
  }
}

async function administer(databaseUrl: string, statement: string): Promise<void> {
  const admin = connect({ url: onDatabase(databaseUrl, 'postgres'), poolSize: 1 })
  try {
    await admin.withClient((client) => client.query(statement))
  } finally {
    await admin.close()
  }
}
