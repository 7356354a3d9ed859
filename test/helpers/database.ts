import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, inject } from 'vitest'
import { type ConnectOptions, connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { onDatabase, TEMPLATE } from './database-url.ts'

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/** Creates a migrated database by cloning the template. Dropping it closes all of its connections. */
export const testDatabase = (): Promise<TestDatabase> =>
  createDatabase(`template ${TEMPLATE} strategy file_copy`)

/** Creates a database without any migration. */
export const emptyDatabase = (): Promise<TestDatabase> => createDatabase('')

async function createDatabase(of: string): Promise<TestDatabase> {
  const serverUrl = inject('serverUrl')
  const name = `t_${randomBytes(6).toString('hex')}`
  await administer(serverUrl, `create database ${name} ${of}`)
  return {
    url: onDatabase(serverUrl, name),
    drop: () => administer(serverUrl, `drop database if exists ${name} with (force)`),
  }
}

/** Opens a database for all tests of a file, and drops it after them. */
export function useWarehouse(
  take: (warehouse: Warehouse) => void,
  options: Pick<ConnectOptions, 'poolSize'> = {},
): void {
  let database: TestDatabase
  let warehouse: Warehouse
  beforeAll(async () => {
    database = await testDatabase()
    warehouse = connect({ url: database.url, ...options })
    take(warehouse)
  })
  afterAll(async () => {
    await warehouse.close()
    await database.drop()
  })
}

async function administer(serverUrl: string, statement: string): Promise<void> {
  const admin = connect({ url: serverUrl, poolSize: 1 })
  try {
    await admin.withClient((client) => client.query(statement))
  } finally {
    await admin.close()
  }
}
