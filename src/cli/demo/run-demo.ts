import { join, resolve } from 'node:path'
import { numberStory } from '../../../sandbox/numbers/number-story.ts'
import { DEFAULT_SIZES } from '../../../sandbox/seed-data/options.ts'
import { whiteboardStory } from '../../../sandbox/whiteboards/whiteboard-story.ts'
import { catalog, jobs, reports } from '../../account/catalog.ts'
import { type OpenAccount, openAccount } from '../../account/open-account.ts'
import { type OpenWarehouse, openWarehouse } from '../../account/wire.ts'
import { loadConfig } from '../../config/load-config.ts'
import type { Job } from '../../core/define/job.ts'
import { settingsOf } from '../../core/define/settings-of.ts'
import { frozenClock } from '../../core/time/clock.ts'
import { DAY_MS } from '../../core/time/time.ts'
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
import { runsAsJson } from '../frame/run-summary.ts'
import { readChangedRows } from './changed-rows.ts'
import { type ChangesByStream, type DemoService, startDemoService } from './demo-service.ts'
import { type Narrator, narrate } from './narrate.ts'
import type { DemoOptions, NightFiles, SyncedNight } from './options.ts'
import { serveDatabase } from './serve-database.ts'
import { type DemoState, finishNight, openState, writeConfig } from './state.ts'
import { sumNights } from './sum-nights.ts'

/**
 * Syncs a simulated company over real HTTP into a real Postgres, and makes reports. All clocks are frozen at
 * one night; after a finished demo, the next one is a night later.
 */
export async function runDemo(context: Context, options: DemoOptions): Promise<number> {
  const startedMs = context.clock.elapsed()
  const state = openState(join('.callsheet', 'demo'), { reset: options.reset === true })
  const { database = false } = options
  if (database && options.mutate !== true) return await serveDatabase(context, state)
  await makeReportDirectory(resolve(options.out))
  const service = await startDemoService({
    nowMs: state.nowMs,
    stateFile: resolve(state.sandboxFile),
    sizes: SIZES,
  })
  const told = narrate(context.output)
  let night: Awaited<ReturnType<typeof syncAndReport>>
  try {
    told.company({ ...DEFAULT_SIZES, ...SIZES }, state)
    if (options.mutate === true) told.mutation(state)
    const changes = await changeCompany(service, state, options)
    writeConfig(state, service, resolve(options.out))
    night = await withDemoWarehouse(context, state, (opened) =>
      syncAndReport(context, { opened, state, service, options, told, changes }),
    )
  } finally {
    await service.stop()
  }
  const elapsedMs = context.clock.elapsed() - startedMs
  if (night.files !== undefined) finishNight(state)
  told.end(state, elapsedMs)
  const result = { ...runsAsJson('demo', night), changes: night.changes, ...night.files, elapsedMs }
  const code = exitCodeOfRuns(night.results)
  if (database && code === 0) return await serveDatabase(context, state, result)
  context.output.result(result)
  return code
}

/** Lets a day pass, with its ordinary changes if requested. No day precedes the first night. */
async function changeCompany(
  service: DemoService,
  { beforeMs }: DemoState,
  { mutate }: DemoOptions,
): Promise<ChangesByStream | undefined> {
  if (beforeMs === undefined) return undefined
  return await service.change({ sinceMs: beforeMs, ...(mutate === true ? {} : { ops: [] }) })
}

async function withDemoWarehouse<T>(
  context: Context,
  state: DemoState,
  work: (opened: OpenWarehouse) => Promise<T>,
): Promise<T> {
  const { config } = loadConfig({ path: state.configFile, ...catalog, environment: {} })
  const { createLogger } = await import('../frame/logger.ts')
  // The summary reports failures. A log would overwrite the moving lines.
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
  told: Narrator
  changes: ChangesByStream | undefined
}

async function syncAndReport(
  context: Context,
  stage: Stage,
): Promise<SyncedNight & { files?: NightFiles }> {
  const { opened, state, told, options, changes } = stage
  const [settings] = opened.wiring.config.accounts
  if (settings === undefined) throw new Error('the demo writes one account into its configuration')
  const account = await openAccount(opened, settings)
  try {
    const lastRun = await lastRunId(opened)
    const spring = lastRun === 0 ? await liveThroughSpring(context, stage) : []
    told.sync(state)
    const results = sumNights([...spring, await syncWithProgress(context, opened, account)])
    const night: SyncedNight = {
      results,
      labels: account.governor.stats(),
      changes,
      changed: changes === undefined ? [] : await readChangedRows(opened, lastRun),
    }
    told.synced(night)
    if (!results.every((result) => result.state === 'complete')) return night
    const directory = resolve(options.out)
    const week = settledWeek(state)
    told.files(week)
    const published = await publishAll(opened, directory)
    const bundle = await exportBundle(opened, 'demo', {
      ...week,
      directory,
      signal: context.signal,
    })
    told.placed({ published, bundle })
    return { ...night, files: { published, bundle } }
  } finally {
    await account.close()
  }
}

/** Syncs the earlier nights, each at its own time, so that the numbers have a history. */
async function liveThroughSpring(
  { signal }: Context,
  { opened, state, service, told }: Stage,
): Promise<RunResult[][]> {
  told.spring()
  await service.change({ ops: whiteboardStory() })
  const nights: RunResult[][] = []
  for (const { at, ops } of numberStory({ ...DEFAULT_SIZES, ...SIZES })) {
    await service.change({ ops })
    const nowMs = Date.parse(at)
    // The demo itself syncs the last night.
    if (nowMs >= state.nowMs) break
    const wiring = { ...opened.wiring, clock: frozenClock(nowMs), frozenNow: nowMs }
    const [settings] = wiring.config.accounts
    const before = await openWarehouse(wiring, false)
    try {
      if (settings === undefined) break
      const account = await openAccount(before, settings)
      try {
        const night = await syncAccount(account.deps, { account: 'demo', jobs: NUMBERS, signal })
        told.springNight(nowMs, night)
        nights.push(night)
      } finally {
        await account.close()
      }
    } finally {
      await before.close()
    }
  }
  return nights
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
): Promise<NightFiles['published']> {
  const { wiring } = opened
  const { timezone: timeZone } = wiring.config
  const { formats, settings } = wiring.config.reports
  const published: { title: string; report: PublishedReport }[] = []
  // Skips reports that require a parameter, such as a person.
  for (const report of reports.filter(({ params }) => params.safeParse({}).success)) {
    // A daily report defaults to the day before, for which the company has no data.
    const day =
      'day' in report.params.shape
        ? { day: zonedInstant(wiring.clock.now(), timeZone).slice(0, 10) }
        : {}
    const wanted = { report, account: 'demo', params: day, jobs, timeZone, directory, formats }
    const made = await publishReport(opened, { ...wanted, settings: settingsOf(report, settings) })
    published.push({ title: report.title, report: made })
  }
  return published
}

/** Returns the last run's ID, or 0 before the first run. */
async function lastRunId({ warehouse }: OpenWarehouse): Promise<number> {
  const { id } = await warehouse.db
    .selectFrom('callsheet.runs')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirstOrThrow()
  return id ?? 0
}

/** Returns the last seven days whose sessions have surely ended: a session may last seven days. */
function settledWeek({ nowMs }: DemoState): { from: string; to: string } {
  const day = (back: number): string => new Date(nowMs - back * DAY_MS).toISOString().slice(0, 10)
  return { from: day(14), to: day(8) }
}

/** Sizes that can be archived in seconds but include enough people. All other sizes are the defaults. */
const SIZES = { users: 4_000, whiteboards: 800, activities: 8_000 }

/** The jobs that the inventory needs, so that it can be made for the earlier nights. */
const NUMBERS = jobs.filter(({ name }) => name === 'users' || name === 'phone-numbers')

/** Skips most details: one call per number and recording would take a minute and show nothing new. */
const SHOWN = jobs.flatMap((job): Job[] => {
  if (job.name === 'number-details')
    return [{ ...job, streams: [portedOrderDetails, smsConsentDetails] }]
  if (job.name === 'recording-details')
    return [{ ...job, streams: [storageLocations, storageLocationDetails] }]
  return job.name === 'user-details' || !job.name.endsWith('-details') ? [job] : []
})
