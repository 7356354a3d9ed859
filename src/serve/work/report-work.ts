import { jobs, reportJobs } from '../../account/catalog.ts'
import { pick } from '../../account/choose.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import { dueOf, jobsOf } from '../../config/account-jobs.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Config } from '../../config/schema.ts'
import type { Observer } from '../../core/define/observer.ts'
import { dueTimes } from '../../core/time/due-times.ts'
import type { Ending } from '../../core/time/ending.ts'
import { everComplete } from '../ledger/task-runs.ts'
import type { Work } from '../queue/dispatcher.ts'
import { attemptsInLedger } from '../queue/ledger-attempts.ts'
import { openDeliveries } from './open-deliveries.ts'
import { jobsFor, notBefore, type ReportWait, tellsOfRuns } from './report-ready.ts'
import { runReportJob } from './run-report-job.ts'

/** The reports that are due by the configuration, for each account. */
export function reportWorks(config: Config, accounts: readonly AccountSettings[]): Work[] {
  const schedules = Object.entries(config.reports.jobs).map(([job, { schedule }]) => [
    job,
    schedule,
  ])
  const due = Object.entries(dueOf(Object.fromEntries(schedules), config.timezone))
  return accounts.flatMap(({ name }) =>
    due.map(([job, when]) => ({ account: name, job, ...when, yields: true as const })),
  )
}

export function isReport({ job }: Pick<Work, 'job'>): boolean {
  return reportJobs.some(({ name }) => name === job)
}

/** Until when a due report waits, and for which jobs; undefined if it may be made now. */
export async function reportNotBefore(
  { warehouse, wiring }: OpenWarehouse,
  { account, job }: Work,
  dueMs: number,
): Promise<ReportWait | undefined> {
  const { clock, config } = wiring
  const made = pick('job', job, reportJobs)
  const told = tellsOfRuns(made.report)
  const wanted = jobsFor(made, jobs).flatMap(({ name }) => {
    const due = jobsOf(config, pick('account', account, config.accounts))[name]
    return due === undefined ? [] : [{ name, times: dueTimes(due) }]
  })
  if (wanted.length === 0) return undefined
  const asked = wanted.map(({ name, times }) => ({
    account,
    job: name,
    sinceMs: (times.last(dueMs) ?? dueMs) - CLOCKS_APART_MS,
  }))
  const names = wanted.map(({ name }) => name)
  const ever = await everComplete(warehouse, account, names)
  const attempts = await attemptsInLedger(warehouse, asked)
  const deadlineMs = dueMs + LONGEST_WAIT_MS
  return notBefore(
    { dueMs, deadlineMs, nowMs: clock.now() },
    wanted.map(({ name, times }, at) => ({
      name,
      times,
      attempts: attempts[at] ?? [],
      everComplete: ever.has(name),
      told,
    })),
  )
}

/** Makes a due report once, or what is still to be done of it. */
export async function runReport(
  { warehouse, wiring }: OpenWarehouse,
  { account, job }: Work,
  dueMs: number,
): Promise<Ending> {
  const { clock, config, observer } = wiring
  const { directory, formats, jobs: settings, settings: all } = config.reports
  const own = settings[job]
  const made = pick('job', job, reportJobs)
  return await runReportJob(
    {
      warehouse,
      clock,
      deliveries: own === undefined ? [] : await openDeliveries(own.deliver, config, { clock }),
      notDelivered: (name, { code, message }) =>
        observer.event('report not delivered', { account, job, name, code, error: message }),
    },
    {
      account,
      job: made,
      dueMs,
      settings: all[made.report.name],
      timeZone: config.timezone,
      directory: directory,
      formats: formats,
    },
  )
}

/** Logs for what a report waits, once until it waits for something else. */
export function reportWaits(observer: Observer) {
  const said = new Map<string, string>()
  return ({ account, job }: Work, dueMs: number, wait: ReportWait | undefined): void => {
    const key = JSON.stringify([account, job])
    const reason = wait?.jobs.join(', ') ?? ''
    const isNew = said.get(key) !== `${dueMs} ${reason}`
    said.set(key, `${dueMs} ${reason}`)
    if (wait === undefined || !isNew) return
    const until = new Date(wait.untilMs).toISOString()
    const facts = { account, job, reason: `for ${reason}`, until }
    observer.event('report waits', { ...facts, level: 'warn' })
  }
}

/** A report that is a day late is made as things stand: then the next night will not have read more of it. */
const LONGEST_WAIT_MS = 24 * 3_600_000
const CLOCKS_APART_MS = 60_000
