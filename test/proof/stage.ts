import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FaultRule } from '../../sandbox/protocol/faults.ts'
import type { SandboxOptions } from '../../sandbox/seed-data/options.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { onDatabase } from '../helpers/database-url.ts'
import { settableQuotas } from '../helpers/settable-quotas.ts'
import { KILLED_JOBS, LANE_JOBS } from './lane-jobs.ts'
import type { Order } from './run-order.ts'

export interface Server {
  url: string
  /** A migrated, empty database. */
  template: string
}

/** A small company over real HTTP, and a Postgres in which each case has a database of its own. */
export interface Stage {
  sandbox: Sandbox
  directory: string
  /** Clones a database; the empty one when none is named. */
  clone(from?: string): Promise<string>
  drop(database: string): Promise<void>
  url(database: string): string
  order(database: string, more?: Partial<Order>): Order
  faults(rules: readonly FaultRule[]): Promise<void>
  close(): Promise<void>
}

export interface StageOptions extends SandboxOptions {
  /** Of the configuration; no files are fetched where nothing is said. */
  archive?: object
  /** What the account's configuration says otherwise, such as another kind of app. */
  account?: object
}

export const ACCOUNT = 'account-0'
export const STREAMS = LANE_JOBS.flatMap((job) => job.streams)

export function streamsOf(names: readonly string[]): readonly Stream[] {
  return KILLED_JOBS.filter(({ name }) => names.includes(name)).flatMap((job) => job.streams)
}
const NOW_MS = Date.parse('2026-07-08T02:30:00Z')

export async function openStage(
  server: Server,
  { archive = { files: false }, account = {}, ...options }: StageOptions,
): Promise<Stage> {
  const sandbox = await startSandbox({ nowMs: NOW_MS, ...options })
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-proof-'))
  const configFile = writeConfig(sandbox, directory, { archive, account })
  const admin = connect({ url: server.url, poolSize: 2 })
  const administer = (statement: string): Promise<unknown> =>
    admin.withClient((client) => client.query(statement))
  const url = (database: string): string => onDatabase(server.url, database)
  return {
    sandbox,
    directory,
    url,
    async clone(from = server.template) {
      const name = `proof_${randomBytes(6).toString('hex')}`
      await administer(`create database ${name} template ${from} strategy file_copy`)
      return name
    },
    drop: async (name) => void (await administer(`drop database if exists ${name} with (force)`)),
    order: (database, more = {}) => ({
      configFile,
      databaseUrl: url(database),
      nowMs: sandbox.clock.now(),
      ...more,
    }),
    faults: (rules) => setFaults(sandbox, rules),
    async close() {
      await admin.close()
      await sandbox.close()
      rmSync(directory, { recursive: true })
    },
  }
}

async function setFaults(sandbox: Sandbox, rules: readonly FaultRule[]): Promise<void> {
  const response = await fetch(`${sandbox.url}/__sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rules }),
  })
  if (!response.ok) throw new Error(`the sandbox takes no faults: ${response.status}`)
}

function writeConfig(
  sandbox: Sandbox,
  directory: string,
  { archive, account: other }: { archive: object; account: object },
): string {
  const path = join(directory, 'config.yaml')
  const [app] = sandbox.credentials
  const account = {
    name: ACCOUNT,
    baseUrl: sandbox.baseUrl,
    authUrl: sandbox.authUrl,
    accountId: app?.accountId,
    clientId: app?.clientId,
    clientSecret: app?.clientSecret,
    videoSessions: { apiKey: app?.apiKey, apiSecret: app?.apiSecret },
    quotas: settableQuotas(sandbox.quotas),
    reserve: 0,
    ...other,
  }
  // The same for all stages, since they share databases.
  writeFileSync(join(directory, 'token.key'), 'ab'.repeat(32), { mode: 0o600 })
  writeFileSync(path, JSON.stringify({ stateDirectory: directory, archive, accounts: [account] }))
  return path
}
