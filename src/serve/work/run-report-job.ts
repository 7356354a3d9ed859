import type { ReportJob } from '../../core/define/job.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Ending } from '../../core/time/ending.ts'
import {
  type PublishedReport,
  type PublishRequest,
  publishReport,
} from '../../report/publish-report.ts'
import { isCovered } from '../../report/read-cover.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { acquireLease } from '../../warehouse/ledger/lease.ts'
import { lastDetail } from '../ledger/task-runs.ts'
import { spanParams } from './report-span.ts'
import { type Attempted, runTask } from './run-task.ts'

/** Where a published report is sent, besides its folder. */
export interface Delivery {
  /** Names it among the job's deliveries, as `mail`. */
  name: string
  /** Rejects if the files did not arrive. It may be called again with the same ones. */
  send(made: MadeReport): Promise<void>
}

/** A published report, as the ledger keeps it. */
export interface MadeReport {
  report: string
  account: string
  params: Readonly<Record<string, string>>
  files: PublishedReport['files']
  covered: boolean
  headline: PublishedReport['headline']
}

export interface ReportJobDeps {
  warehouse: Warehouse
  clock: Clock
  deliveries: readonly Delivery[]
  /** Called when a delivery failed; it is tried again with the next attempt. */
  notDelivered(name: string, error: CallsheetError): void
}

export interface ReportOrder
  extends Pick<PublishRequest, 'settings' | 'timeZone' | 'directory' | 'formats'> {
  account: string
  job: ReportJob
  /** When it was due, in epoch milliseconds. */
  dueMs: number
}

/** What attempts at one due time have done so far. */
interface Progress {
  made?: MadeReport
  /** The names of the deliveries that have arrived. */
  delivered: string[]
}

/**
 * Makes a due report, delivers it and records both. Attempts at the same due time go on where the last one
 * ended: a report that was not wholly covered is made and delivered again once it is, and a delivery that
 * failed is repeated without making the report again. Throws BusyError if another process has the account.
 */
export async function runReportJob(deps: ReportJobDeps, order: ReportOrder): Promise<Ending> {
  const { warehouse, clock } = deps
  const { account, job, dueMs } = order
  const due = { account, task: job.name, dueMs }
  const lease = await acquireLease(warehouse, { account, job: job.name, clock })
  try {
    const before = progressOf(await lastDetail(warehouse.db, due))
    const task = { ...due, detail: before }
    return await runTask(deps, task, () => attempt(deps, order, before))
  } finally {
    await lease.release()
  }
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
  return {
    state: whole ? 'complete' : 'incomplete',
    ending: { kind: whole ? 'done' : 'again' },
    detail: progress,
    error: undelivered.length === 0 ? undefined : undelivered.join('; '),
  }
}

async function makeIfNeeded(
  { warehouse }: ReportJobDeps,
  { account, job, dueMs, ...where }: ReportOrder,
  before: Progress,
): Promise<Progress> {
  const { report } = job
  const params = spanParams(job, { dueMs, timeZone: where.timeZone })
  const request = { report, account, params, ...where }
  if (before.made?.covered === true) return before
  if (before.made !== undefined && !(await isCovered(warehouse, request))) return before
  const { files, covered, headline } = await publishReport({ warehouse }, request)
  const made = { report: report.name, account, params, files, covered, headline }
  return { made, delivered: [] }
}

function progressOf(detail: unknown): Progress {
  const { made, delivered } = (detail ?? {}) as Partial<Progress>
  return { ...(made === undefined ? {} : { made }), delivered: [...(delivered ?? [])] }
}
