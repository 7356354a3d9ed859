import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jobs } from '../src/account/catalog.ts'
import { openAccount } from '../src/account/open-account.ts'
import { type ArchiveRun, archiveAccount } from '../src/archive/archive-account.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { silentObserver } from '../src/core/define/observer.ts'
import { type Clock, systemClock } from '../src/core/time/clock.ts'
import { connect } from '../src/warehouse/connect.ts'
import { serveOrder } from './child.ts'
import { BENCH_NOW_MS } from './session-rows.ts'
import { type Spent, spend } from './spent.ts'

export interface ArchiveOrder {
  url: string
  databaseUrl: string
  directory: string
}

export interface Archived extends Spent {
  state: ArchiveRun['state']
  problems: string[]
  stored: number
}

/** The files as `callsheet archive` fetches them, with quotas so wide that nothing waits for them. */
async function archive(order: ArchiveOrder): Promise<Archived> {
  const nowMs = BENCH_NOW_MS
  const clock: Clock = { ...systemClock, now: () => nowMs }
  const config = configOf(order)
  const poolSize = config.database.pool
  const warehouse = connect({ url: order.databaseUrl, frozenNow: nowMs, poolSize })
  const wiring = { config, clock, observer: silentObserver, frozenNow: nowMs }
  const frame = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
  const [settings] = config.accounts
  if (settings === undefined) throw new Error('The bench has no account')
  const account = await openAccount(frame, settings)
  const sources = jobs.flatMap((job) => job.archive ?? [])
  const { signal } = new AbortController()
  let run: ArchiveRun | undefined
  const spent = await spend(async () => {
    run = await archiveAccount(account.deps, { account: 'bench', sources, retry: false, signal })
    return { rows: run.files.stored, pages: 0 }
  })
  await account.close()
  await warehouse.close()
  if (run === undefined) throw new Error('The archiving had no result')
  if (run.error !== undefined) throw run.error as Error
  return { ...spent, state: run.state, problems: run.problems, stored: run.files.stored }
}

function configOf({ url, directory }: ArchiveOrder) {
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
    quotas: { LIGHT: wide, MEDIUM: wide, HEAVY: wide, 'RESOURCE-INTENSIVE': wide },
    reserve: 0,
  }
  writeFileSync(path, JSON.stringify({ stateDirectory: directory, accounts: [settings] }))
  return loadConfig({ path, jobs, environment: {} }).config
}

await serveOrder(archive)
