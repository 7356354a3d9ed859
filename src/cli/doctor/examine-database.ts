import { type RawBuilder, sql } from 'kysely'
import { migrateTables, type OpenWarehouse } from '../../account/wire.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { attempt, type Finding } from './findings.ts'

export async function examineDatabase({ warehouse, embedded }: OpenWarehouse): Promise<Finding[]> {
  const place = embedded ? `, embedded, in ${await dataDirectory(warehouse)}` : ''
  const findings = await examineServer(warehouse, place)
  const tables = await attempt('tables', async () => {
    await migrateTables(warehouse)
    return [{ check: 'tables', state: 'ok', text: 'up to date' }]
  })
  return [...findings, ...tables]
}

/** Checks the version of a server, and whether it may be written to. */
export async function examineServer({ db }: Warehouse, place = ''): Promise<Finding[]> {
  const { version, versionNumber, readOnly } = await db
    .selectNoFrom(({ cast }) => [
      setting('server_version').as('version'),
      cast<number>(setting('server_version_num'), 'integer').as('versionNumber'),
      setting('transaction_read_only').as('readOnly'),
    ])
    .executeTakeFirstOrThrow()
  const check = 'database'
  const findings: Finding[] = [
    versionNumber >= OLDEST_VERSION
      ? { check, state: 'ok', text: `Postgres ${version}${place}` }
      : { check, state: 'failed', text: `Postgres ${version}`, todo: 'use Postgres 15 or newer' },
  ]
  if (readOnly === 'on')
    findings.push({
      check,
      state: 'failed',
      text: 'the connection is read-only',
      todo: 'point database.url at the primary server, or at a user with write access',
    })
  return findings
}

/** Returns the actual data directory: under root it may differ from the configured one. */
async function dataDirectory({ db }: Warehouse): Promise<string> {
  const { place } = await db
    .selectNoFrom(setting('data_directory').as('place'))
    .executeTakeFirstOrThrow()
  return place
}

function setting(name: string): RawBuilder<string> {
  return sql<string>`current_setting(${name})`
}

const OLDEST_VERSION = 150_000
