import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { connect } from '../../src/warehouse/connect.ts'
import { startEmbedded } from '../../src/warehouse/embedded.ts'
import { migrate } from '../../src/warehouse/migrate.ts'
import { allMigrations } from './all-migrations.ts'
import { onDatabase, TEMPLATE } from './database-url.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    serverUrl: string
  }
}

/** One server for the whole run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-test-'))
  // As root the server runs as somebody else, who must be able to pass.
  chmodSync(directory, 0o755)
  const server = await startEmbedded({ directory, durable: false })
  const teardown = async (): Promise<void> => {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await makeTemplate(server.url)
  } catch (error) {
    await teardown()
    throw error
  }
  project.provide('serverUrl', server.url)
  return teardown
}

async function makeTemplate(serverUrl: string): Promise<void> {
  const admin = connect({ url: serverUrl, poolSize: 1 })
  await admin.withClient((client) => client.query(`create database ${TEMPLATE}`))
  await admin.close()
  const warehouse = connect({ url: onDatabase(serverUrl, TEMPLATE), poolSize: 1 })
  await migrate(warehouse, await allMigrations())
  await warehouse.close()
}
