import { hash } from 'node:crypto'
import { jobs, reportJobs } from '../../account/catalog.ts'
import { pick } from '../../account/choose.ts'
import { openPrinter } from '../../account/open-printer.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import type { ReportJob } from '../../core/define/job.ts'
import { settingsOf } from '../../core/define/settings-of.ts'
import { CallsheetError, LoadError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { ExplainedEnding } from '../../core/time/ending.ts'
import { ownersOf } from '../../report/cut-by-owner.ts'
import {
  type FormatNotMade,
  type PublishedReport,
  type PublishRequest,
  publishReport,
} from '../../report/publish-report.ts'
import { isCovered } from '../../report/read-cover.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { acquireLease } from '../../warehouse/ledger/lease.ts'
import { lastDetail } from '../ledger/task-runs.ts'
import type { Work } from '../queue/dispatcher.ts'
import { type Delivery, type MadeReport, openDeliveries, openOwnerMail } from './deliver-report.ts'
import type { Hooks } from './hooks.ts'
import { type Attempted, recordAttempt } from './run-task.ts'
import { spanParams } from './span-params.ts'

export interface ReportJobDeps {
  warehouse: Warehouse
  clock: Clock
  deliveries: readonly Delivery[]
  /** The owners whose cuts are made too, each with the deliveries of this cut alone. */
  cuts?: readonly OwnerCut[]
  /** Called when the whole report was made, and when it was made again. */
  onMade?: (published: PublishedReport) => void
  /** Called when a delivery failed; the next attempt repeats it. */
  notDelivered(name: string, error: CallsheetError): void
  /** Called for a format that was not made. A person must act, so this alone causes no retry. */
  notMade?(missing: FormatNotMade): void
  signal?: AbortSignal
}

interface OwnerCut {
  owner: string
  deliveries: readonly Delivery[]
}

export interface ReportOrder
  extends Pick<
    PublishRequest,
    'settings' | 'owners' | 'timeZone' | 'directory' | 'formats' | 'printer'
  > {
  account: string
  job: ReportJob
  dueMs: number
}

/** The progress of all attempts at one due time so far. An erasure reads in it which files were sent. */
interface Progress extends Edition {
  cuts?: Cut[]
}

interface Cut extends Edition {
  owner: string
  /** The digest of the owners whose rules decided which rows the cut has. */
  rules?: string | undefined
}

interface Edition {
  made?: MadeReport
  /** The names of the deliveries that arrived. */
  delivered: string[]
}

interface DueReport {
  work: Work
  dueMs: number
  signal: AbortSignal
  hooks: Pick<Hooks, 'afterReport'>
}

/** Makes and delivers a due report by the configuration, or finishes an earlier attempt. */
export async function runReport(
  { warehouse, wiring }: OpenWarehouse,
  { work: { account, job }, dueMs, signal, hooks }: DueReport,
): Promise<ExplainedEnding> {
  const { clock, config, observer } = wiring
  const { directory, formats, jobs: configured, settings, owners } = config.reports
  const { deliver } = configured[job] ?? {}
  const reportJob = pick('job', job, reportJobs)
  const cutFor = deliver?.owners === true ? ownersOf(reportJob.report, owners) : []
  const cuts: OwnerCut[] = []
  for (const owner of cutFor)
    cuts.push({ owner: owner.name, deliveries: await openOwnerMail(owner, config, clock) })
  const deps: ReportJobDeps = {
    warehouse,
    clock,
    deliveries: deliver === undefined ? [] : await openDeliveries(deliver, config, { clock }),
    cuts,
    onMade: (published) => hooks.afterReport(account, reportJob.report.name, published),
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
  const where = { timeZone: config.timezone, directory, formats, owners, printer }
  const own = settingsOf(reportJob.report, settings)
  return await runReportJob(deps, { account, job: reportJob, dueMs, settings: own, ...where })
}

/**
 * Makes a due report, delivers it and records both. A later attempt at the same due time continues: it makes
 * and delivers an incomplete report again once its data is complete, and repeats only a failed delivery
 * otherwise. Throws BusyError if another process has the account's lease.
 */
export async function runReportJob(
  deps: ReportJobDeps,
  order: ReportOrder,
): Promise<ExplainedEnding> {
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

/** Makes the report and its cuts before it sends anything, so that a cut that fails sends nothing twice. */
async function attempt(
  deps: ReportJobDeps,
  order: ReportOrder,
  before: Progress,
): Promise<Attempted> {
  const main = await makeIfNeeded(deps, order, before)
  const cuts: [Cut, readonly Delivery[]][] = []
  const present = rulesOf(order)
  for (const { owner, deliveries } of deps.cuts ?? []) {
    const known = before.cuts?.find((cut) => cut.owner === owner)
    // A cut by earlier rules may have rows of another owner. It is not sent any more.
    const isSent = deliveries.every(({ name }) => known?.delivered.includes(name))
    const kept = known?.rules === present || isSent ? known : undefined
    const edition = await makeIfNeeded(deps, { ...order, owner }, kept ?? { delivered: [] })
    const rules = edition.made === kept?.made ? kept?.rules : present
    cuts.push([{ owner, rules, ...edition }, deliveries])
  }
  const undelivered = await sendEdition(deps, main, deps.deliveries)
  for (const [cut, deliveries] of cuts)
    undelivered.push(...(await sendEdition(deps, cut, deliveries)))
  const editions = [main, ...cuts.map(([cut]) => cut)]
  const whole = undelivered.length === 0 && editions.every(({ made }) => made?.covered === true)
  const notMade = editions.flatMap(({ made }) =>
    (made?.notMade ?? []).map(({ format, came, todo }) => `${format}: ${came}; ${todo}`),
  )
  const lacks = editions.flatMap(({ made }) =>
    made?.covered === true ? [] : (made?.headline?.lacks[0] ?? 'some of its data is not synced'),
  )
  const errors = [...undelivered, ...new Set([...notMade, ...lacks])]
  return {
    state:
      undelivered.length > 0 ? 'failed' : whole && notMade.length === 0 ? 'complete' : 'incomplete',
    ending: { kind: whole ? (notMade.length === 0 ? 'done' : 'person') : 'again' },
    detail: cuts.length === 0 ? main : { ...main, cuts: cuts.map(([cut]) => cut) },
    error: errors.length === 0 ? undefined : errors.join('; '),
  }
}

function rulesOf({ owners = [] }: ReportOrder): string {
  const rules = owners.map(({ mail: _mail, ...rule }) => rule)
  return hash('sha256', JSON.stringify(rules), 'hex')
}

/** Adds the deliveries that arrive to the edition. Returns why the others did not. */
async function sendEdition(
  { notDelivered, signal }: ReportJobDeps,
  { made, delivered }: Edition,
  deliveries: readonly Delivery[],
): Promise<string[]> {
  const undelivered: string[] = []
  if (made === undefined) return undelivered
  const { owner } = made.params
  for (const { name, send } of deliveries) {
    if (delivered.includes(name)) continue
    try {
      await send(made)
      delivered.push(name)
    } catch (error) {
      if (signal?.aborted === true) throw error
      const whose = owner === undefined ? name : `${name} to ${owner}`
      // Throwing would lose what was delivered. The text of an unknown error may contain anything.
      const facts = { tried: `Delivering by ${name}`, came: (error as Error).name }
      const known = error instanceof CallsheetError ? error : new LoadError('unexpected', facts)
      undelivered.push(`${whose}: ${known.message}`)
      notDelivered(whose, known)
    }
  }
  return undelivered
}

async function makeIfNeeded(
  { warehouse, onMade, notMade: tellMissing }: ReportJobDeps,
  { account, job, dueMs, owner, ...where }: ReportOrder & { owner?: string },
  before: Edition,
): Promise<Edition> {
  const { report } = job
  const span = spanParams(job, { dueMs, timeZone: where.timeZone })
  const params = owner === undefined ? span : { ...span, owner }
  const request = { report, account, params, jobs, ...where }
  const { made: known, delivered } = before
  const stands = known !== undefined && (known.covered || !(await isCovered(warehouse, request)))
  if (stands) return { made: known, delivered }
  const published = await publishReport({ warehouse }, request)
  if (owner === undefined) onMade?.(published)
  const { files, covered, notMade, headline } = published
  for (const missing of notMade) tellMissing?.(missing)
  const made = { report: report.name, account, params, files, covered, notMade, headline }
  return { made, delivered: [] }
}

function progressOf(detail: unknown): Progress {
  const { made, delivered, cuts = [] } = (detail ?? {}) as Partial<Progress>
  return {
    ...(made === undefined ? {} : { made }),
    delivered: [...(delivered ?? [])],
    ...(cuts.length === 0
      ? {}
      : { cuts: cuts.map((cut) => ({ ...cut, delivered: [...cut.delivered] })) }),
  }
}
