import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SandboxOptions } from '../../sandbox/seed-data/options.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { jobs as allJobs, catalog } from '../../src/account/catalog.ts'
import { type OpenAccount, openAccount } from '../../src/account/open-account.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Job } from '../../src/core/define/job.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { type Clock, systemClock } from '../../src/core/time/clock.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { syncAccount } from '../../src/sync/sync.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { alteringProxy, type Ways } from '../cli/altering-proxy.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { settableQuotas } from './settable-quotas.ts'

/** A small company in the sandbox, a database and an open account, connected by real HTTP and SQL. */
export interface World {
  sandbox: Sandbox
  /** Controls the proxy between us and the service; only if the world is `altered`. */
  ways: Ways
  /** What another process needs to work on the same account. */
  place: { configFile: string; databaseUrl: string }
  warehouse: Warehouse
  account: OpenAccount
  /** Opens the n-th account of the sandbox, under its own name; 0 is `account`. */
  open(ordinal: number): OpenAccount
  sync(options?: {
    jobs?: readonly Job[]
    full?: boolean
    account?: OpenAccount
  }): Promise<RunResult[]>
  /** Advances everybody's wall time; elapsed time stays real. */
  advance(ms: number): Promise<void>
  faults(rules: readonly object[]): Promise<void>
  mutate(
    options?: object,
  ): Promise<Record<string, { inserted: number; updated: number; deleted: number }>>
  close(): Promise<void>
}

export const WORLD_NOW = '2026-07-08T02:30:00Z'

export const SMALL = {
  users: 900,
  sessions: 700,
  whiteboards: 60,
  activities: 500,
  recordings: 200,
  numbers: 500,
}

/** Sizes of a company that is synced in a moment. */
export const TINY = {
  users: 60,
  sessions: 60,
  whiteboards: 20,
  activities: 60,
  recordings: 20,
  numbers: 20,
}

export interface WorldOptions extends SandboxOptions {
  /** The configuration's `archive`; by default no files are fetched. */
  archive?: object
  /** Settings of each account, besides its addresses and credentials. */
  settings?: object
  /** Sends all requests through a proxy that can change the service's answers. */
  altered?: true
}

export async function openWorld(
  { archive = { files: false }, settings = {}, ...options }: WorldOptions = {},
  own?: TestDatabase,
): Promise<World> {
  let movedMs = 0
  const startMs = Date.parse(WORLD_NOW)
  const clock: Clock = { ...hurriedClock, now: () => startMs + movedMs }
  const { sandbox, ...service } = await startService({ nowMs: startMs, ...options })
  const database = own ?? (await testDatabase())
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-world-'))
  const config = configFor({ ...sandbox, ...service.addresses }, directory, { archive, settings })
  // `callsheet.now` belongs to a connection, so a moved clock needs new ones.
  const opened: { warehouse: Warehouse; accounts: OpenAccount[] }[] = []
  const reopen = async () => {
    const warehouse = connect({ url: database.url, frozenNow: clock.now(), poolSize: 8 })
    const wiring = { config, clock, observer: silentObserver, frozenNow: clock.now() }
    const frame = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
    const accounts = await Promise.all(config.accounts.map((one) => openAccount(frame, one)))
    opened.push({ warehouse, accounts })
    return { warehouse, accounts }
  }
  let { warehouse, accounts } = await reopen()
  const account = (ordinal: number): OpenAccount => accounts[ordinal] as OpenAccount
  const post = poster(sandbox)
  return {
    sandbox,
    ways: service.ways,
    place: { configFile: join(directory, 'config.yaml'), databaseUrl: database.url },
    get warehouse() {
      return warehouse
    },
    get account() {
      return account(0)
    },
    open: account,
    sync: ({ jobs = allJobs, full = false, account: which = account(0) } = {}) =>
      syncAccount(which.deps, {
        account: which.settings.name,
        jobs,
        full,
        signal: new AbortController().signal,
      }),
    async advance(ms) {
      movedMs += ms
      sandbox.advance(ms)
      ;({ warehouse, accounts } = await reopen())
    },
    faults: async (rules) => void (await post('faults', { rules })),
    mutate: async (wanted = {}) => (await post('mutate', wanted)) as ReturnType<World['mutate']>,
    async close() {
      for (const { warehouse: pool, accounts: open } of opened) {
        for (const one of open) await one.close()
        await pool.close()
      }
      await service.close()
      await database.drop()
      rmSync(directory, { recursive: true })
    },
  }
}

/** Waits are real but at most 20 ms: tests check that a wait happens, not its length. */
const hurriedClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal),
}

function poster(sandbox: Sandbox) {
  return async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${sandbox.url}/__sandbox/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return await response.json()
  }
}

async function startService({ altered, ...options }: Omit<WorldOptions, 'archive' | 'settings'>) {
  const sandbox = await startSandbox({ sizes: SMALL, ...options })
  const proxy = altered === true ? await alteringProxy(sandbox.url) : undefined
  return {
    sandbox,
    ways: proxy?.ways ?? {},
    addresses: proxy === undefined ? {} : { baseUrl: `${proxy.url}/v2`, authUrl: proxy.url },
    async close() {
      await proxy?.close()
      await sandbox.close()
    },
  }
}

/** The secret that signs notifications of a world's accounts. */
export const TOLD_SECRET = 'told-in-a-test'

function configFor(
  sandbox: Sandbox,
  directory: string,
  { archive, settings }: { archive: object; settings: object },
) {
  const path = join(directory, 'config.yaml')
  const accounts = sandbox.credentials.map((app, ordinal) => ({
    ...ofApp(sandbox, ordinal),
    videoSessions: { apiKey: app.apiKey, apiSecret: app.apiSecret },
    quotas: settableQuotas(sandbox.quotas),
    reserve: 0,
    notificationSecrets: [TOLD_SECRET],
    ...settings,
  }))
  const text = JSON.stringify({ stateDirectory: directory, archive, accounts })
  const places = { '{api_host}': sandbox.apiHost, '{file_host}': sandbox.fileHost }
  const placed = Object.entries(places).reduce((said, place) => said.replaceAll(...place), text)
  writeFileSync(path, placed)
  return loadConfig({ path, ...catalog, environment: {} }).config
}

/** The configuration of an account of the sandbox, for any use. */
export function ofApp({ baseUrl, authUrl, credentials }: Sandbox, ordinal: number) {
  const { accountId, clientId, clientSecret } = credentials[ordinal]!
  return { name: `account-${ordinal}`, baseUrl, authUrl, accountId, clientId, clientSecret }
}
