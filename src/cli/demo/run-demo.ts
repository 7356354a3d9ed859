import { join, resolve } from 'node:path'
import { numberStory } from '../../../sandbox/numbers/number-story.ts'
import { DEFAULT_SIZES } from '../../../sandbox/seed-data/options.ts'
import { whiteboardStory } from '../../../sandbox/whiteboards/whiteboard-story.ts'
import { catalog, jobs, reports } from '../../account/catalog.ts'
import { type OpenAccount, openAccount } from '../../account/open-account.ts'
import { type OpenWarehouse, openWarehouse } from '../../account/wire.ts'
import { loadConfig } from '../../config/load-config.ts'
import type { Job } from '../../core/define/job.ts'
import { frozenClock } from '../../core/time/clock.ts'
import { zonedInstant } from '../../core/time/zone.ts'
import { type PublishedReport, publishReport } from '../../report/publish-report.ts'
import { makeReportDirectory } from '../../report/report-directory.ts'
import { portedOrderDetails } from '../../resources/ported-order-details.ts'
import { smsConsentDetails } from '../../resources/sms-consent-details.ts'
import { storageLocationDetails, storageLocations } from '../../resources/storage-locations.ts'
import type { RunResult } from '../../sync/run/run-types.ts'
import { syncAccount } from '../../sync/sync.ts'
import type { Context } from '../frame/context.ts'
import { exitCodeOfRuns } from '../frame/exit-codes.ts'
import { exportBundle } from '../frame/export-bundle.ts'
import { linesOf, showProgress } from '../frame/progress.ts'
import { type DemoService, startDemoService } from './demo-service.ts'
import type { DemoOptions, DemoOutcome } from './options.ts'
import { printDemo } from './print-demo.ts'
import { serveDatabase } from './serve-database.ts'
import { type DemoState, openState, writeConfig } from './state.ts'

/**
 * Runs the whole product against a simulated company over real HTTP and a real Postgres, on a frozen clock.
 */
export async function runDemo(context: Context, options: DemoOptions): Promise<number> {
  const startedMs = context.clock.elapsed()
  const state = openState(join('.callsheet', 'demo'), { reset: options.reset === true })
  if (options.database === true) return await serveDatabase(context, state)
  await makeReportDirectory(resolve(options.out))
  const service = await startDemoService({
    nowMs: state.nowMs,
    stateFile: resolve(state.sandboxFile),
    sizes: SIZES,
  })
  try {
    const changes = options.mutate === true ? await service.mutate() : undefined
    writeConfig(state, service, resolve(options.out))
    const outcome = await withDemoWarehouse(context, state, (opened) =>
      syncAndReport(context, { opened, state, service, options }),
    )
    const elapsedMs = context.clock.elapsed() - startedMs
    printDemo(context.output, { ...outcome, changes, state, elapsedMs })
    return exitCodeOfRuns(outcome.results)
  } finally {
    await service.stop()
  }
}

async function withDemoWarehouse<T>(
  context: Context,
  state: DemoState,
  work: (opened: OpenWarehouse) => Promise<T>,
): Promise<T> {
  const { config } = loadConfig({ path: state.configFile, ...catalog, environment: {} })
  const { createLogger } = await import('../frame/logger.ts')
  // The summary reports failures; a log would overwrite the moving lines.
  const level = context.verbose ? 'debug' : 'silent'
  const { prettyStderr } = await import('../frame/pretty-stderr.ts')
  const observer = createLogger({ level, clock: context.clock, stream: prettyStderr() })
  const wiring = { config, clock: frozenClock(state.nowMs), observer, frozenNow: state.nowMs }
  const opened = await openWarehouse(wiring, true)
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}

interface Stage {
  opened: OpenWarehouse
  state: DemoState
  service: DemoService
  options: DemoOptions
}

async function syncAndReport(
  context: Context,
  stage: Stage,
): Promise<Omit<DemoOutcome, 'changes' | 'state' | 'elapsedMs'>> {
  const [settings] = stage.opened.wiring.config.accounts
  if (settings === undefined) throw new Error('the demo writes one account into its configuration')
  const account = await openAccount(stage.opened, settings)
  try {
    const first = await isFirst(stage.opened)
    if (first) await liveThroughSpring(context, stage)
    const results = await syncWithProgress(context, stage.opened, account)
    const labels = account.governor.stats()
    const complete = results.every((result) => result.state === 'complete')
    const directory = resolve(stage.options.out)
    const published = complete ? await publishAll(stage.opened, directory) : []
    const { signal } = context
    const bundle = complete
      ? await exportBundle(stage.opened, 'demo', { ...BUNDLE_DAYS, directory, signal })
      : undefined
    return { first, results, labels, published, bundle }
  } finally {
    await account.close()
  }
}

/** Syncs the earlier nights, each at its own time, so that the numbers have a history. */
async function liveThroughSpring(
  { signal }: Context,
  { opened, state, service }: Stage,
): Promise<void> {
  await service.change(whiteboardStory())
  for (const { at, ops } of numberStory({ ...DEFAULT_SIZES, ...SIZES })) {
    await service.change(ops)
    const nowMs = Date.parse(at)
    // The demo itself syncs the last night.
    if (nowMs >= state.nowMs) return
    const wiring = { ...opened.wiring, clock: frozenClock(nowMs), frozenNow: nowMs }
    const [settings] = wiring.config.accounts
    const before = await openWarehouse(wiring, false)
    try {
      if (settings === undefined) return
      const account = await openAccount(before, settings)
      try {
        await syncAccount(account.deps, { account: 'demo', jobs: NUMBERS, signal })
      } finally {
        await account.close()
      }
    } finally {
      await before.close()
    }
  }
}

async function syncWithProgress(
  context: Context,
  { wiring: { config } }: OpenWarehouse,
  account: OpenAccount,
): Promise<RunResult[]> {
  const lines = linesOf(config, SHOWN)
  const progress = await showProgress(context, 'Syncing the demo account', lines)
  try {
    return await syncAccount(account.deps, {
      account: 'demo',
      jobs: SHOWN,
      signal: context.signal,
      onProgress: (step) => progress.step(step),
    })
  } finally {
    await progress.end()
  }
}

async function publishAll(
  opened: OpenWarehouse,
  directory: string,
): Promise<DemoOutcome['published']> {
  const { wiring } = opened
  const { timezone: timeZone } = wiring.config
  const { formats, settings } = wiring.config.reports
  const published: { title: string; report: PublishedReport }[] = []
  // Skips reports that require a person's name.
  for (const report of reports.filter(({ params }) => params.safeParse({}).success)) {
    // A daily report defaults to the day before, for which the company has no data.
    const day =
      'day' in report.params.shape
        ? { day: zonedInstant(wiring.clock.now(), timeZone).slice(0, 10) }
        : {}
    const wanted = { report, account: 'demo', params: day, timeZone, directory, formats }
    const made = await publishReport(opened, { ...wanted, settings: settings[report.name] })
    published.push({ title: report.title, report: made })
  }
  return published
}

async function isFirst({ warehouse }: OpenWarehouse): Promise<boolean> {
  const run = await warehouse.db
    .selectFrom('callsheet.runs')
    .select('id')
    .limit(1)
    .executeTakeFirst()
  return run === undefined
}

/** Small enough to archive in seconds, with enough people; all other sizes keep their defaults. */
const SIZES = { users: 4_000, whiteboards: 800, activities: 8_000 }
/** The week in which the demo's month ends. */
const BUNDLE_DAYS = { from: '2026-06-24', to: '2026-06-30' }

/** The jobs that the inventory needs, so that it can be made for those nights too. */
const NUMBERS = jobs.filter(({ name }) => name === 'users' || name === 'phone-numbers')

/** Skips most details: one call per number and recording would take a minute and show nothing new. */
const SHOWN = jobs.flatMap((job): Job[] => {
  if (job.name === 'number-details')
    return [{ ...job, streams: [portedOrderDetails, smsConsentDetails] }]
  if (job.name === 'recording-details')
    return [{ ...job, streams: [storageLocations, storageLocationDetails] }]
  return job.name === 'user-details' || !job.name.endsWith('-details') ? [job] : []
})
