import { archiveInRun } from '../archive/archive-files.ts'
import { wantsFiles } from '../archive/work.ts'
import type { CircuitBreaker } from '../core/circuit-breaker.ts'
import type { Job } from '../core/define/job.ts'
import { fetchedStream, type Stream } from '../core/define/stream.ts'
import { FencedError, isDaySpent, LoadError } from '../core/errors.ts'
import { point } from '../core/kill-point.ts'
import { type Suppression, suppressionOf } from '../core/persons/suppression.ts'
import { stateSettings, statesRuns } from '../evidence/enter-rows.ts'
import { analyzeFresh } from '../warehouse/fresh-statistics.ts'
import { requirePolicies } from '../warehouse/keep-out/column-policies.ts'
import { beginParts } from '../warehouse/keep-out/row-parts.ts'
import { readSuppressions } from '../warehouse/keep-out/suppressions.ts'
import { acquireLease, type Lease } from '../warehouse/ledger/lease.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { closeBy, endState, errorText } from '../warehouse/ledger/run-end.ts'
import { openRun } from '../warehouse/ledger/runs.ts'
import { ensureMonthPartitions } from '../warehouse/partitions.ts'
import { endingOf } from './ending.ts'
import { archivesFirst, type JobTurns, startInOrder } from './job-order.ts'
import { reportOutage, sharedBreakers } from './outage.ts'
import { countDays, keptBefore } from './run/count-days.ts'
import { failureOfRun } from './run/failure.ts'
import { openRunContext } from './run/open-context.ts'
import type { EngineDeps, RunContext } from './run/run-context.ts'
import type { Progress, RunResult } from './run/run-types.ts'
import { leavesEvidence, runEvidence } from './run-evidence.ts'
import { runJob } from './run-job.ts'
import { readToTheEnd, runVerdict } from './run-verdict.ts'
import { reportUnreadParents } from './unread-parents.ts'

export interface SyncOptions {
  account: string
  jobs: readonly Job[]
  /** Read all slices that are kept up to date, not only those that are due. */
  full?: boolean
  /** Also read slices that an unfinished earlier run has read, so that all data is as of now. */
  fresh?: boolean
  /** A lease that the caller acquired and releases; without one the sync acquires its own. */
  lease?: Lease
  signal: AbortSignal
  onProgress?: (progress: Progress) => void
}

/**
 * Syncs an account: one process at a time holds its lease. The jobs run in parallel under it, each with its
 * own run record; jobs that read details of another job's lists wait for that job. A run is complete only
 * when every planned slice was read to its end (promise 1), except for streams that the account may not read.
 * Throws the errors from outside the work of a job, such as BusyError if another process holds the account.
 * The error that ends a job's work is in its result.
 */
export async function syncAccount(deps: EngineDeps, options: SyncOptions): Promise<RunResult[]> {
  const { account, jobs } = options
  if (options.lease !== undefined) return await syncUnder(options.lease, deps, options)
  const names = jobs.map((job) => job.name).join(', ')
  const lease = await acquireLease(deps.warehouse, { account, job: names, clock: deps.clock })
  try {
    return await syncUnder(lease, deps, options)
  } finally {
    await lease.release()
  }
}

/** Syncs under a lease. Ends only when no job writes any more, even if one of them failed. */
async function syncUnder(
  lease: Lease,
  deps: EngineDeps,
  options: SyncOptions,
): Promise<RunResult[]> {
  const { account, jobs } = options
  for (const table of await retryDatabase(deps, () => ensureMonthPartitions(deps.warehouse)))
    deps.observer.event('partitions.put_off', { table })
  const signal = AbortSignal.any([options.signal, lease.lost])
  const { columns: policy, rows } = deps
  const streams = jobs.flatMap((job) => job.streams)
  await inTransaction({ ...deps, lease }, async (tx) => {
    await requirePolicies(tx, account, { policy, streams })
    await beginParts(tx, account, { rows, streams })
  })
  if (jobs.some(leavesEvidence)) await stateSettings(deps, { account, lease })
  // Erasures need the lease, so the list does not change while this sync holds it.
  const list = await retryDatabase(deps, () => readSuppressions(deps.warehouse.db, account))
  const suppression = suppressionOf(list)
  const breakerOf = sharedBreakers()
  const turns = archivesFirst(jobs, (job) => archivesFiles(deps, job))
  const ends = await Promise.allSettled(
    startInOrder(jobs, (job) =>
      turns
        .wait(job)
        .then(() =>
          syncJob(deps, { ...options, suppression, job, lease, signal, turns, breakerOf }),
        )
        .finally(() => turns.pass(job)),
    ),
  )
  const results = ends.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
  await analyze(deps)
  const proven = jobs.some(leavesEvidence)
    ? await runEvidence(deps, { account, lease, signal })
    : undefined
  // Recording evidence filled further tables.
  if (proven !== undefined) await analyze(deps)
  return proven === undefined ? results : [...results, proven]
}

/** Refreshes planner statistics. A sync does not fail if they stay stale. */
async function analyze({ warehouse, observer }: EngineDeps): Promise<void> {
  try {
    await analyzeFresh(warehouse)
  } catch (error) {
    if (!(error instanceof LoadError)) throw error
    observer.event('statistics.put_off', { code: error.code })
  }
}

type JobOptions = SyncOptions & {
  job: Job
  lease: Lease
  suppression: Suppression
  breakerOf: (job: Job) => CircuitBreaker
  turns: JobTurns
}

/** Ignores a spent daily quota: the next request fails too, and its slices count as not read. */
function leaveToNextList(error: unknown): void {
  if (!isDaySpent(error)) throw error
}

function archivesFiles({ archive }: EngineDeps, job: Job): boolean {
  return archive !== undefined && job.archive !== undefined && wantsFiles(archive, job.archive)
}

async function syncJob(deps: EngineDeps, options: JobOptions): Promise<RunResult> {
  const { account, job, lease, breakerOf } = options
  const onClosed = statesRuns(deps, account)
  await point('run:opening')
  const opened = await retryDatabase(deps, () =>
    openRun(deps.warehouse, {
      account,
      job: job.name,
      partial: job.partial ?? false,
      lease,
      onClosed,
    }),
  )
  await point('run:opened')
  const run = openRunContext(deps, {
    ...options,
    run: options.fresh === true ? { ...opened, chainRunId: opened.id } : opened,
    full: options.full ?? false,
    breaker: breakerOf(job),
    onProgress: options.onProgress,
  })
  const startedMs = deps.clock.elapsed()
  const end = await workOf(run, options)
  const remark = deps.client.remark()
  if (remark !== undefined) run.problem(remark, false)
  const durationMs = Math.round(deps.clock.elapsed() - startedMs)
  const result = { ...run.noted(), ...end, durationMs }
  await point('run:closing')
  const closed = await closeBy(
    deps,
    { lease, result, onClosed },
    recordOf(result, deps.clock.now()),
  )
  await point('run:closed')
  return closed
}

/** Does all the work of a run, and returns how it ended. */
async function workOf(
  run: RunContext,
  { job, signal, turns }: JobOptions,
): Promise<Pick<RunResult, 'state' | 'read' | 'days' | 'error'>> {
  let read: string[] = []
  let days: RunResult['days'] = []
  try {
    if (run.breaker.tripped() !== undefined) throw run.breaker.tripped()
    const before = await keptBefore(run, job)
    days = before.own
    const source = archivesFiles(run, job) ? job.archive : undefined
    const expiring = async (): Promise<void> => {
      if (source?.expiresAt !== undefined) await archiveInRun(run, { source, beforeOthers: true })
    }
    await expiring()
    turns.pass(job)
    const onExpiring = () => expiring().catch(leaveToNextList)
    await runJob(run, { streams: job.streams, onExpiring })
    reportOutage(run)
    await reportUnreadParents(run, job)
    read = readToTheEnd(run, job)
    days = await countDays(run, { streams: readStreams(run, { job, read }) }, before)
    if (source !== undefined) await archiveInRun(run, { source })
    return { state: runVerdict(job, run.noted()), read, days, error: undefined }
  } catch (thrown) {
    const reason: unknown = signal.aborted ? signal.reason : thrown
    const error = reason instanceof FencedError ? reason : thrown
    const state = endState(reason, signal)
    const stopped = 'the run was stopped; the next run continues'
    run.problem(state === 'interrupted' ? stopped : errorText(error), false)
    return { state, read, days, error }
  }
}

/**
 * The job's streams that were read to their end, including streams nested in their records. Omits streams
 * that the account may not read.
 */
function readStreams(
  run: RunContext,
  { job, read }: { job: Job; read: readonly string[] },
): Stream[] {
  const { notAllowed } = run.noted()
  return job.streams.filter((stream) => {
    const { name } = fetchedStream(stream)
    return read.includes(name) && !(name in notAllowed)
  })
}

function recordOf(result: RunResult, nowMs: number) {
  const { tables, slices, problems, trippedGuards, notAllowed, read, days, files, range } = result
  const planned = Object.entries(slices).map(([name, counts]) => [name, counts.planned] as const)
  const ending = endingOf(result, nowMs)
  const failure = failureOfRun(result)
  const summary = {
    tables,
    slices,
    problems,
    trippedGuards,
    notAllowed,
    read,
    days,
    ending,
    failure,
  }
  const beside = { ...(files && { files }), ...(range && { range }) }
  return { planned: Object.fromEntries(planned), summary: { ...summary, ...beside } }
}
