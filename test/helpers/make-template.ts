import { migrations } from '../../src/account/migrations.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { migrate } from '../../src/warehouse/migrate.ts'
import { onDatabase, TEMPLATE } from './database-url.ts'

/** Creates the migrated, empty database that all others are cloned from. */
export async function makeTemplate(serverUrl: string, name = TEMPLATE): Promise<void> {
  const admin = connect({ url: serverUrl, poolSize: 1 })
  await admin.withClient((client) => client.query(`create database ${name}`))
  await admin.close()
  const warehouse = connect({ url: onDatabase(serverUrl, name), poolSize: 1 })
  await migrate(warehouse, migrations)
  await warehouse.close()
}
