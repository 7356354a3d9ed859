import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { connect } from '../../src/warehouse/connect.ts'
import { onDatabase, TEMPLATE } from './database-url.ts'

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/**
 * A migrated database of one's own, cloned from the template. Whoever still uses it when it is dropped is
 * cut off.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('serverUrl')
  const name = `t_${randomBytes(6).toString('hex')}`
  await administer(serverUrl, `create database ${name} template ${TEMPLATE} strategy file_copy`)
  return {
    url: onDatabase(serverUrl, name),
    drop: () => administer(serverUrl, `drop database if exists ${name} with (force)`),
  }
}

async function administer(serverUrl: string, statement: string): Promise<void> {
  const admin = connect({ url: serverUrl, poolSize: 1 })
  try {
    await admin.withClient((client) => client.query(statement))
  } finally {
    await admin.close()
  }
}
