import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sessionReportsJob from '../jobs/session-reports.ts'
import { openAccount } from '../src/cli/open-account.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { type Clock, systemClock } from '../src/core/clock.ts'
import { silentObserver } from '../src/core/observer.ts'
import type { RunResult } from '../src/engine/run-result.ts'
import { syncAccount } from '../src/engine/sync.ts'
import { connect } from '../src/warehouse/connect.ts'
import { serveOrder } from './child.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

export interface OursOrder {
  url: string
  databaseUrl: string
  directory: string
  account: string
  /** Time that has passed for the service since the bench's now. */
  laterMs: number
}

export interface Synced {
  state: RunResult['state']
  problems: string[]
  table: RunResult['tables'][string] | undefined
  wallMs: number
  cpuMs: number
  peakBytes: number
}

/** The engine as `callsheet sync` wires it, with quotas so wide that nothing waits for them. */
async function sync(order: OursOrder): Promise<Synced> {
  const nowMs = BENCH_NOW_MS + order.laterMs
  const clock: Clock = { ...systemClock, now: () => nowMs }
  const config = configOf(order)
  const warehouse = connect({
    url: order.databaseUrl,
    frozenNow: nowMs,
    poolSize: config.database.pool,
  })
  const wiring = { config, clock, observer: silentObserver, frozenNow: nowMs }
  const frame = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
  const [settings] = config.accounts
  if (settings === undefined) throw new Error('The bench has no account')
  const account = openAccount(frame, settings)
  const cpuBefore = process.cpuUsage()
  const startedMs = performance.now()
  const [result] = await syncAccount(account.deps, {
    account: settings.name,
    jobs: [sessionReportsJob],
    full: true,
    signal: new AbortController().signal,
  })
  const wallMs = performance.now() - startedMs
  const { user, system } = process.cpuUsage(cpuBefore)
  await account.close()
  await warehouse.close()
  if (result === undefined) throw new Error('The sync had no result')
  const { state, problems, tables } = result
  return {
    state,
    problems,
    table: tables.session_reports,
    wallMs,
    cpuMs: (user + system) / 1000,
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }
}

function configOf({ url, directory, account }: OursOrder) {
  const path = join(directory, `${account}.yaml`)
  const wide = { perDay: 1_000_000_000 }
  const settings = {
    name: account,
    baseUrl: `${url}/v2`,
    authUrl: url,
    accountId: 'bench',
    clientId: 'bench',
    clientSecret: 'bench',
    videoSessions: { auth: 'oauth' },
    quotas: { LIGHT: wide, MEDIUM: wide, HEAVY: wide, 'RESOURCE-INTENSIVE': wide },
    headroom: 0,
  }
  writeFileSync(path, JSON.stringify({ stateDirectory: directory, accounts: [settings] }))
  return loadConfig({ path, jobs: [sessionReportsJob], environment: {} }).config
}

await serveOrder(sync)
