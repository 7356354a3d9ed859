import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { passingStores } from '../../src/cli/accounts/passing-stores.ts'
import { jobs } from '../../src/cli/catalog/catalog.ts'
import {
  type ProbedAccount,
  type ProbeResult,
  probeAccount,
} from '../../src/cli/doctor/probe-account.ts'
import type { Context } from '../../src/cli/frame/context.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { silentObserver } from '../../src/core/declare/observer.ts'
import type { FoundReading } from '../../src/core/declare/ports.ts'
import { type Clock, systemClock } from '../../src/core/time/clock.ts'
import { operations } from '../../src/resources/declared.ts'
import type { SandboxOptions } from '../../src/sandbox/seed-data/options.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server/server.ts'
import { connect } from '../../src/warehouse/connection/connect.ts'
import {
  type AlteringProxy,
  type Asked,
  alteringProxy,
  type Told,
  type Ways,
} from './altering-proxy.ts'

export interface Probed extends ProbedAccount {
  requests: AlteringProxy['requests']
  notes: string[]
  sandbox: Sandbox
  /** What became of the probe of this ID. */
  of(id: string): ProbeResult
}

export interface ProbeSetting extends SandboxOptions {
  ways?: Ways
  /** Settings of the account besides its addresses and credentials. */
  account?: object
  /** What calls of the account have found out before. */
  found?: readonly FoundReading[]
  databaseUrl: string
}

export const OTHER: SandboxOptions = {
  habits: { limiter: 'token-bucket', pageCap: 25 },
  readings: {
    paging: 'snapshot',
    invalidToken: '400/124',
    narrowing: 'keep-to',
    lastToken: 'null',
  },
}
export const USUAL: SandboxOptions = {
  habits: { limiter: 'fixed-second' },
  readings: {
    paging: 'live-offset',
    invalidToken: '401',
    narrowing: 'keep-from',
    lastToken: 'empty',
    idForms: 'odd',
  },
}
/** No ID in a path is read as the documents say. */
export const CONTRARY_IDS = {
  idForms: 'odd',
  recordingIds: 'once',
  whiteboardIds: 'twice',
  otherIds: 'twice',
} as const

/** Probes a service with these ways, over HTTP, as `doctor --probe` does. */
export async function probeWith(options: ProbeSetting): Promise<Probed> {
  const { ways = {}, account = {}, found = [], databaseUrl, ...given } = options
  const sandbox = await startSandbox({ sizes: SIZES, ...given })
  const proxy = await alteringProxy(sandbox.url)
  proxy.ways = { ...ways, tell: (asked, told) => (complete(asked, told), ways.tell?.(asked, told)) }
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-probe-'))
  const warehouse = connect({ url: databaseUrl, poolSize: 2 })
  const stores = passingStores()
  for (const one of found) await stores.found.remember(one)
  try {
    const config = configOf(folder, { sandbox, proxy, account })
    const notes: string[] = []
    const wiring = { config, clock: hurriedClock, observer: silentObserver }
    const opened = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
    const kept: ProbedAccount[] = []
    const [settings] = config.accounts
    if (settings === undefined) throw new Error('no account')
    await probeAccount({ context: contextOf(notes), opened, settings, given: { stores } }, (one) =>
      kept.push(one),
    )
    const [probed] = kept
    if (probed === undefined) throw new Error('nothing was probed')
    return { ...probed, requests: proxy.requests, notes, sandbox, of: (id) => find(probed, id) }
  } finally {
    await warehouse.close()
    await proxy.close()
    await sandbox.close()
    rmSync(folder, { recursive: true })
  }
}

function find({ probes }: ProbedAccount, id: string): ProbeResult {
  const found = probes.find(({ probe }) => probe.id === id)
  if (found === undefined) throw new Error(`no probe ${id}`)
  return found
}

function contextOf(notes: string[]): Context {
  const silent = (): void => {}
  const refuse = (): never => {
    throw new Error('a probe asks for none')
  }
  return {
    output: {
      terminal: false,
      line: silent,
      table: silent,
      result: silent,
      note: (text) => void notes.push(text),
    },
    clock: hurriedClock,
    signal: new AbortController().signal,
    verbose: false,
    loadConfig: refuse,
    observer: refuse,
  }
}

function configOf(
  folder: string,
  { sandbox, proxy, account }: { sandbox: Sandbox; proxy: AlteringProxy; account: object },
) {
  const [app] = sandbox.credentials
  const path = join(folder, 'config.json')
  const settings = {
    name: 'main',
    baseUrl: `${proxy.url}/v2`,
    authUrl: proxy.url,
    accountId: app?.accountId,
    clientId: app?.clientId,
    clientSecret: app?.clientSecret,
    videoSessions: { apiKey: app?.apiKey, apiSecret: app?.apiSecret },
    quotas: sandbox.quotas,
    reserve: 0,
    ...account,
  }
  writeFileSync(path, JSON.stringify({ stateDirectory: folder, accounts: [settings] }))
  return loadConfig({ path, jobs, environment: {} }).config
}

/** The address is that of the proxy, and lists that need not tell their page size do. */
function complete({ path, query, headers: { host = '' } }: Asked, told: Told): void {
  if (path === '/oauth/token') Object.assign(told.body as object, { api_url: `http://${host}` })
  const asked = Number(query.get('page_size') ?? '0')
  const list = operations.find(
    (operation) => operation.method === 'GET' && `/v2${operation.path}` === path,
  )
  if (told.status !== 200 || asked === 0 || list?.paging?.style !== 'token') return
  const body = told.body as Record<string, unknown>
  body.page_size ??= Math.min(asked, list.paging.maxPageSize)
}

/** Backing off is real but short. */
const hurriedClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal),
}

const SIZES = {
  users: 400,
  sessions: 300,
  whiteboards: 60,
  activities: 60,
  recordings: 120,
  numbers: 300,
}
