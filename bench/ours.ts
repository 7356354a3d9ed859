import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openAccount } from '../src/account/open-account.ts'
import { loadConfig } from '../src/config/load-config.ts'
import type { Job } from '../src/core/define/job.ts'
import { silentObserver } from '../src/core/define/observer.ts'
import { type Clock, systemClock } from '../src/core/time/clock.ts'
import type { RunResult } from '../src/sync/run/run-types.ts'
import { syncAccount } from '../src/sync/sync.ts'
import { connect } from '../src/warehouse/connect.ts'
import { serveOrder } from './child.ts'
import { BENCH_NOW_MS } from './session-rows.ts'
import { type Source, sources } from './sources.ts'
import { type Spent, spend } from './spent.ts'

export interface OursOrder {
  url: string
  databaseUrl: string
  directory: string
  source: string
  /** Time that has passed for the service since the bench's now. */
  laterMs: number
}

export interface Synced extends Spent {
  state: RunResult['state']
  problems: readonly string[]
  table: RunResult['tables'][string]
  slices: number
}

/** The engine as `callsheet sync` wires it, with quotas so wide that nothing waits for them. */
async function sync(order: OursOrder): Promise<Synced> {
  const { job, stream } = sources[order.source] as Source
  const nowMs = BENCH_NOW_MS + order.laterMs
  const clock: Clock = { ...systemClock, now: () => nowMs }
  const config = configOf(order, job)
  const warehouse = connect({
    url: order.databaseUrl,
    frozenNow: nowMs,
    poolSize: config.database.pool,
  })
  const wiring = { config, clock, observer: silentObserver, frozenNow: nowMs }
  const frame = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
  const [settings] = config.accounts
  if (settings === undefined) throw new Error('The bench has no account')
  const account = await openAccount(frame, settings)
  let result: RunResult | undefined
  const spent = await spend(async () => {
    const signal = new AbortController().signal
    const options = { account: settings.name, jobs: [job], full: true, signal }
    ;[result] = await syncAccount(account.deps, options)
    return { rows: result?.tables[stream.name]?.present ?? 0, pages: 0 }
  })
  await account.close()
  await warehouse.close()
  const table = result?.tables[stream.name]
  if (result === undefined || table === undefined) throw new Error('The sync had no result')
  const { state, problems, slices } = result
  return { ...spent, state, problems, table, slices: slices[stream.name]?.planned ?? 0 }
}

function configOf({ url, directory }: OursOrder, job: Job) {
  const path = join(directory, 'bench.yaml')
  // Without a rate it would be learned, from a careful one on.
  const wide = { perSecond: 10_000, perDay: 1_000_000_000 }
  const settings = {
    name: 'bench',
    baseUrl: `${url}/v2`,
    authUrl: url,
    accountId: 'bench',
    clientId: 'bench',
    clientSecret: 'bench',
    videoSessions: { auth: 'oauth' },
    quotas: { LIGHT: wide, MEDIUM: wide, HEAVY: wide, 'RESOURCE-INTENSIVE': wide },
    reserve: 0,
  }
  const archive = { files: false }
  writeFileSync(path, JSON.stringify({ stateDirectory: directory, archive, accounts: [settings] }))
  return loadConfig({ path, jobs: [job], environment: {} }).config
}

await serveOrder(sync)
