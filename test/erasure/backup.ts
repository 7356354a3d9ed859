import { connect } from '../../src/warehouse/connect.ts'
import { onDatabase } from '../helpers/database-url.ts'

/** A copy of a database that the server made. */
export interface Backup {
  /** Replaces the database with the copy, and closes all connections to it. */
  restore(): Promise<void>
  drop(): Promise<void>
}

/** Copies a database, which must have no connections. */
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
