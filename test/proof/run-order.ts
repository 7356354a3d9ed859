import { dirname, join } from 'node:path'
import { jobs as allJobs, reports } from '../../src/account/catalog.ts'
import { type OpenAccount, openAccount } from '../../src/account/open-account.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { Job } from '../../src/core/define/job.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { type Clock, systemClock } from '../../src/core/time/clock.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { syncAccount } from '../../src/sync/sync.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { KILLED_JOBS, LANE_JOBS } from './lane-jobs.ts'

/** One piece of work on an account, the same whether a child that will be killed does it or we do. */
export interface Order {
  configFile: string
  databaseUrl: string
  nowMs: number
  /** Those of the lanes when not given. */
  jobs?: readonly string[]
  /** Reads everything, not only what is due. */
  full?: boolean
  /** The longest that it backs off; a moment when not given. */
  pauseMs?: number
  /** Publishes every report into this directory, instead of a sync. */
  reportsTo?: string
}

/** Each database has an archive of its own, as each of them is an installation. */
export function archiveOf({ configFile, databaseUrl }: Order): string {
  return join(dirname(configFile), 'archives', new URL(databaseUrl).pathname.slice(1))
}

/** Answers the results of the sync's runs; none for reports. */
export function runOrder(order: Order): Promise<RunResult[]> {
  return withAccount(order, async (account, frame) => {
    const { name } = account.settings
    if (order.reportsTo !== undefined) {
      await publishAll(frame, { account: name, directory: order.reportsTo })
      return []
    }
    return await syncAccount(account.deps, {
      account: name,
      full: order.full ?? false,
      jobs: jobsOf(order),
      signal: new AbortController().signal,
    })
  })
}

/** Opens the account of an order for some work on it. */
export async function withAccount<T>(
  order: Order,
  work: (account: OpenAccount, frame: Frame) => Promise<T>,
): Promise<T> {
  const { config: common } = loadConfig({ path: order.configFile, jobs: allJobs, environment: {} })
  const config = { ...common, archive: { ...common.archive, directory: archiveOf(order) } }
  const { nowMs } = order
  const warehouse = connect({ url: order.databaseUrl, frozenNow: nowMs, poolSize: 6 })
  const wiring = { config, clock: hurried(order), observer: silentObserver, frozenNow: nowMs }
  const frame = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
  // The order names a configuration of ours, which has one account.
  const account = await openAccount(frame, config.accounts[0]!)
  try {
    return await work(account, frame)
  } finally {
    await account.close()
    await warehouse.close()
  }
}

function jobsOf({ jobs }: Order): readonly Job[] {
  return jobs === undefined ? LANE_JOBS : KILLED_JOBS.filter(({ name }) => jobs.includes(name))
}

/** All reports come by the same points. */
const PUBLISHED: readonly string[] = ['session-quality', 'number-inventory']

type Frame = Parameters<typeof openAccount>[0]

async function publishAll(
  { wiring, warehouse }: Frame,
  { account, directory }: { account: string; directory: string },
): Promise<void> {
  // Loaded only here: most orders are killed sooner than the renderers are read.
  const { publishReport } = await import('../../src/report/publish-report.ts')
  const month = new Date(wiring.clock.now()).toISOString().slice(0, 7)
  for (const report of reports.filter(({ name }) => PUBLISHED.includes(name)))
    await publishReport(
      { warehouse },
      {
        report,
        account,
        params: 'month' in report.params.shape ? { month } : {},
        timeZone: 'UTC',
        directory,
        formats: ['xlsx', 'html', 'csv'],
      },
    )
}

/** Stands still, and backs off for real but shortly; so the lease's heartbeat is heard within any run. */
function hurried({ nowMs, pauseMs = 15 }: Order): Clock {
  const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(Math.min(ms, pauseMs), signal)
  return { ...systemClock, now: () => nowMs, sleep }
}
