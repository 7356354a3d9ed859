import { reportJobs } from '../../account/catalog.ts'
import { pick } from '../../account/choose.ts'
import { openPrinter } from '../../account/open-printer.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import type { ReportJob } from '../../core/define/job.ts'
import { settingsOf } from '../../core/define/settings-of.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Ending } from '../../core/time/ending.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { monthBefore, zonedInstant } from '../../core/time/zone.ts'
import {
  type FormatNotMade,
  type PublishRequest,
  publishReport,
} from '../../report/publish-report.ts'
import { isCovered } from '../../report/read-cover.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { acquireLease } from '../../warehouse/ledger/lease.ts'
import { lastDetail } from '../ledger/task-runs.ts'
import type { Work } from '../queue/dispatcher.ts'
import { type Delivery, type MadeReport, openDeliveries } from './deliver-report.ts'
import { type Attempted, recordAttempt } from './run-task.ts'

export interface ReportJobDeps {
  warehouse: Warehouse
  clock: Clock
  deliveries: readonly Delivery[]
  /** Called when a delivery failed; the next attempt repeats it. */
  notDelivered(name: string, error: CallsheetError): void
  /** Called for a format that was not made. The schedule does not try again: a person must act. */
  notMade?(missing: FormatNotMade): void
  signal?: AbortSignal
}

export interface ReportOrder
  extends Pick<PublishRequest, 'settings' | 'timeZone' | 'directory' | 'formats' | 'printer'> {
  account: string
  job: ReportJob
  dueMs: number
}

/** The progress of all attempts at one due time so far. */
interface Progress {
  made?: MadeReport
  /** The names of the deliveries that arrived. */
  delivered: string[]
}

/** Makes and delivers a due report by the configuration, or finishes an earlier attempt. */
export async function runReport(
  { warehouse, wiring }: OpenWarehouse,
  { work: { account, job }, dueMs, signal }: { work: Work; dueMs: number; signal: AbortSignal },
): Promise<Ending> {
  const { clock, config, observer } = wiring
  const { directory, formats, jobs, settings } = config.reports
  const { deliver } = jobs[job] ?? {}
  const reportJob = pick('job', job, reportJobs)
  const deps: ReportJobDeps = {
    warehouse,
    clock,
    deliveries: deliver === undefined ? [] : await openDeliveries(deliver, config, { clock }),
    notDelivered: (name, { code, message }) =>
      observer.event('report not delivered', { account, job, name, code, error: message }),
    notMade: ({ format, came, todo }) =>
      observer.event('report format not made', {
        account,
        job,
        name: format,
        error: came,
        reason: todo,
      }),
    signal,
  }
  const printer = openPrinter(wiring, signal)
  const where = { timeZone: config.timezone, directory, formats, printer }
  const own = settingsOf(reportJob.report, settings)
  return await runReportJob(deps, { account, job: reportJob, dueMs, settings: own, ...where })
}

/**
 * Makes a due report, delivers it and records both. A later attempt at the same due time continues: it makes
 * and delivers an incomplete report again once its data is complete, and repeats only a failed delivery
 * otherwise. Throws BusyError if another process has the account's lease.
 */
export async function runReportJob(deps: ReportJobDeps, order: ReportOrder): Promise<Ending> {
  const { warehouse, clock } = deps
  const { account, job, dueMs } = order
  const due = { account, task: job.name, dueMs }
  const lease = await acquireLease(warehouse, { account, job: job.name, clock })
  try {
    const before = progressOf(await lastDetail(warehouse.db, due))
    const task = { ...due, detail: before }
    return await recordAttempt(deps, task, () =>
      attempt(deps, order, before).catch((error: unknown) => {
        if (deps.signal?.aborted !== true) throw error
        return stopped(before)
      }),
    )
  } finally {
    await lease.release()
  }
}

function stopped(detail: Progress): Attempted {
  return { state: 'interrupted', ending: { kind: 'interrupted' }, detail, error: undefined }
}

async function attempt(
  deps: ReportJobDeps,
  order: ReportOrder,
  before: Progress,
): Promise<Attempted> {
  const progress = await makeIfNeeded(deps, order, before)
  const { made } = progress
  const undelivered: string[] = []
  if (made !== undefined)
    for (const { name, send } of deps.deliveries) {
      if (progress.delivered.includes(name)) continue
      try {
        await send(made)
        progress.delivered.push(name)
      } catch (error) {
        if (!(error instanceof CallsheetError)) throw error
        undelivered.push(`${name}: ${error.message}`)
        deps.notDelivered(name, error)
      }
    }
  const whole = made?.covered === true && undelivered.length === 0
  const notMade = (made?.notMade ?? []).map(
    ({ format, came, todo }) => `${format}: ${came}; ${todo}`,
  )
  const errors = [...undelivered, ...notMade]
  return {
    state: whole && notMade.length === 0 ? 'complete' : 'incomplete',
    ending: { kind: whole ? (notMade.length === 0 ? 'done' : 'person') : 'again' },
    detail: progress,
    error: errors.length === 0 ? undefined : errors.join('; '),
  }
}

async function makeIfNeeded(
  { warehouse, notMade: tellMissing }: ReportJobDeps,
  { account, job, dueMs, ...where }: ReportOrder,
  before: Progress,
): Promise<Progress> {
  const { report } = job
  const params = spanParams(job, { dueMs, timeZone: where.timeZone })
  const request = { report, account, params, ...where }
  if (before.made?.covered === true) return before
  if (before.made !== undefined && !(await isCovered(warehouse, request))) return before
  const published = await publishReport({ warehouse }, request)
  const { files, covered, notMade, headline } = published
  for (const missing of notMade) tellMissing?.(missing)
  const made = { report: report.name, account, params, files, covered, notMade, headline }
  return { made, delivered: [] }
}

function progressOf(detail: unknown): Progress {
  const { made, delivered } = (detail ?? {}) as Partial<Progress>
  return { ...(made === undefined ? {} : { made }), delivered: [...(delivered ?? [])] }
}

/**
 * Returns the parameters of a scheduled report: the calendar month, the seven days or the day before its due
 * day in the time zone. A report on the present has no parameters.
 */
export function spanParams(
  { span, report }: Pick<ReportJob, 'span' | 'report'>,
  { dueMs, timeZone }: { dueMs: number; timeZone: string },
): Record<string, string> {
  const day = zonedInstant(dueMs, timeZone).slice(0, 10)
  if (span === 'present') return {}
  if (span === 'day before') return { day: dayBefore(day, 1) }
  if (span === 'week before') return { from: dayBefore(day, 7), to: dayBefore(day, 1) }
  const { from, to } = monthBefore(dueMs, timeZone)
  return 'month' in report.params.shape ? { month: from.slice(0, 7) } : { from, to }
}

function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10)
}
