import { sql } from 'kysely'
import { connect } from '../../../src/warehouse/connect.ts'
import { grantRoles } from '../../../src/warehouse/roles.ts'
import { onDatabase } from '../../helpers/database-url.ts'
import type { Server } from '../stage.ts'

/** Superusers pass every limit of connections, so the syncs that are disturbed run as an ordinary role. */
export interface WriterTemplate {
  server: Server
  /** The same database, as that role. */
  asWriter(url: string): string
}

export async function makeWriterTemplate(server: Server): Promise<WriterTemplate> {
  const admin = connect({ url: server.url, poolSize: 1 })
  await admin.withClient(async (client) => {
    const found = await client.query('select 1 from pg_roles where rolname = $1', [ROLE])
    if (found.rowCount === 0) await client.query(`create role ${ROLE} login password '${ROLE}'`)
    await client.query(`create database ${NAME} template ${server.template} strategy file_copy`)
  })
  await admin.close()
  const warehouse = connect({ url: onDatabase(server.url, NAME), poolSize: 1 })
  await grantRoles(warehouse, { writer: ROLE })
  await sql`analyze`.execute(warehouse.db)
  await warehouse.close()
  return {
    server: { ...server, template: NAME },
    asWriter(given) {
      const url = new URL(given)
      url.username = ROLE
      url.password = ROLE
      return url.href
    },
  }
}

const ROLE = 'proof_writer'
const NAME = 'proof_writer_template'
