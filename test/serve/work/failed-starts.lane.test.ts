import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts'
import { catalog, jobs } from '../../../src/account/catalog.ts'
import { pick } from '../../../src/account/choose.ts'
import { type OpenWarehouse, openWarehouse } from '../../../src/account/wire.ts'
import type { Context } from '../../../src/cli/frame/context.ts'
import { syncAccounts } from '../../../src/cli/sync.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { openChannels } from '../../../src/serve/alerts/open-channels.ts'
import { readHealth } from '../../../src/serve/health/account-health.ts'
import { readJobRuns } from '../../../src/serve/ledger/job-runs.ts'
import { createHooks } from '../../../src/serve/work/hooks.ts'
import { runJob } from '../../../src/serve/work/run-job.ts'
import { configuration, secretsOf } from '../../cli/workbench.ts'
import { testDatabase } from '../../helpers/database.ts'
import { TINY } from '../../helpers/world.ts'

let folder: string
let sandbox: Sandbox
let database: Awaited<ReturnType<typeof testDatabase>>
let opened: OpenWarehouse | undefined
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-start-'))
  sandbox = await startSandbox({ sizes: TINY })
  database = await testDatabase()
})
afterEach(async () => {
  await opened?.close()
  opened = undefined
  await sandbox.close()
  await database.drop()
  rmSync(folder, { recursive: true })
})

interface Broken {
  account?: readonly string[]
  top?: readonly string[]
  environment?: object
  job?: string
  spoil?: (opened: OpenWarehouse) => unknown
}

/** Runs a job as the service does, and returns the causes in the account's health afterwards. */
async function causesAfter({ account, top = [], environment, job = 'users', spoil }: Broken) {
  const path = join(folder, 'config.yaml')
  const usual = [`stateDirectory: ${folder}`, `archive: {directory: ${folder}/archive}`]
  writeFileSync(path, configuration(sandbox, account, [...usual, ...top]))
  const secrets = { ...secretsOf(database.url), ...environment }
  const { config } = loadConfig({ path, ...catalog, environment: secrets })
  opened = await openWarehouse({ config, clock: systemClock, observer: silentObserver }, true)
  await spoil?.(opened)
  const settings = config.accounts[0]!
  const { signal } = new AbortController()
  const hooks = createHooks(opened, { signal })
  const due = { settings, job: pick('job', job, jobs), signal, hooks }
  const attempt = (of: OpenWarehouse) => runJob(of, due).catch((error: unknown) => error as Error)
  let ending = await attempt(opened)
  // An error that may be temporary becomes a cause at the third failure.
  for (let times = 1; times < 3 && 'kind' in ending && ending.kind === 'again'; times++)
    ending = await attempt(opened)
  const { causes } = await readHealth(opened, settings)
  return { ending, causes: causes.filter(({ code }) => code !== 'volume_low') }
}

const place = (name: string) => mkdirSync(join(folder, name))
const UNABLE: Readonly<Record<string, Broken & { says: RegExp }>> = {
  'a variable that is not set': {
    environment: { SECRET: undefined },
    says: new RegExp(
      'clientSecret\\): environment variable SECRET is not set\\. ' +
        'The job .* Set the variable in the environment',
    ),
  },
  'a variable that is empty': {
    environment: { SECRET: ' ' },
    says: /environment variable SECRET is empty\. .* blocked\./,
  },
  'a file that is not there': {
    account: ['clientSecret: file:nowhere'],
    says: /the file \S+nowhere cannot be read: there is no such file\. .* blocked\..* Restore the file/,
  },
  'a file that is too large': {
    account: ['clientSecret: file:large'],
    spoil: () => writeFileSync(join(folder, 'large'), Buffer.alloc(70_000, 'x')),
    says: /the file \S+large cannot be read: the file is larger than 65536 bytes\. .* blocked\./,
  },
  'a token key of another form': {
    top: ['tokenKey: short'],
    says: /32 bytes|token key.* blocked\..*openssl rand/,
  },
  'a key file that is a folder': {
    spoil: () => place('token.key'),
    says: /Reading the key \S+token\.key: the file is a folder.* blocked\./,
  },
  'a signing key that cannot be read': {
    job: 'whiteboard-archives',
    spoil: () => place('evidence.key'),
    says: /Reading the key \S+evidence\.key: the file is a folder.* blocked\./,
  },
  'a table that this user may not read': {
    spoil: ({ warehouse: { db } }) =>
      sql`alter table callsheet.found_readings rename to moved_readings`.execute(db),
    says: /found_readings.* The job users fails\./,
  },
}

it('a sync started by a person also records why its jobs could not start', async () => {
  const { code, causes } = await causesAfterSync(['users', 'phone-numbers'], {})
  expect(code).toBe(2)
  expect(causes.map(({ code: of, subject }) => `${of} ${subject}`)).toEqual([
    'job_failing secret_unavailable',
  ])
  expect(causes[0]?.sentence).toContain('UNSET is not set. 2 jobs are blocked.')
})

it('a part of a job that could not start leaves no failed run of the whole job', async () => {
  const { code, causes } = await causesAfterSync(['users'], { stream: 'users' })
  expect([code, causes]).toEqual([2, []])
  const runs = await readJobRuns(opened!.warehouse, { account: 'main', jobs })
  expect(runs.get('users')?.lastRun).toMatchObject({ state: 'failed', partial: true })
})

/** Syncs from the command line with a missing secret; returns the exit code and the account's health. */
async function causesAfterSync(names: readonly string[], options: { stream?: string }) {
  const path = join(folder, 'config.yaml')
  writeFileSync(
    path,
    configuration(sandbox, ['clientSecret: env:UNSET'], [`stateDirectory: ${folder}`]),
  )
  const environment = secretsOf(database.url)
  const loaded = loadConfig({ path, ...catalog, environment })
  const context: Context = {
    output: { terminal: false, line() {}, table() {}, note() {}, result() {} },
    clock: systemClock,
    signal: new AbortController().signal,
    verbose: false,
    loadConfig: async () => await Promise.resolve(loaded),
    observer: async () => await Promise.resolve(silentObserver),
  }
  const code = await syncAccounts(context, names, options)
  const wiring = { config: loaded.config, clock: systemClock, observer: silentObserver }
  opened = await openWarehouse(wiring, false)
  const { causes } = await readHealth(opened, loaded.config.accounts[0]!)
  return { code, causes }
}

it('an invalid proxy disables only the channel that uses it', async () => {
  vi.stubEnv('HTTPS_PROXY', 'socks5://127.0.0.1:1080')
  const path = join(folder, 'config.yaml')
  const top = ['alerts: {webhook: {url: "https://hooks.example/x"}, command: [echo]}']
  writeFileSync(path, configuration(sandbox, [], top))
  const { config } = loadConfig({ path, ...catalog, environment: secretsOf(database.url) })
  const channels = await openChannels(config, { clock: systemClock })
  expect(channels.map(({ name }) => name)).toEqual(['webhook', 'command'])
  const message = { subject: 'x', text: 'x', facts: { kind: 'test', at: '', alerts: [] } }
  await expect(channels[0]?.send(message)).rejects.toMatchObject({ code: 'proxy_unreadable' })
  vi.unstubAllEnvs()
})

it.each(Object.keys(UNABLE))(
  'an account’s health says why a job could not start: %s',
  async (name) => {
    const { says, ...broken } = UNABLE[name]!
    const { ending, causes } = await causesAfter(broken)
    const said = causes.map(({ code, sentence, todo }) => `${code} ${sentence} ${todo}`)
    expect(ending).toHaveProperty('kind')
    expect(said).toEqual([expect.stringMatching(says)])
    expect(said[0]).toMatch(/^job_failing /)
  },
)
