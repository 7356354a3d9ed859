import { readArchiveStatus } from '../../account/archive-deadlines.ts'
import { jobs } from '../../account/catalog.ts'
import { chooseJobs } from '../../account/choose-jobs.ts'
import { reachOf } from '../../account/reach-of.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import { planFiles } from '../../archive/plan-files.ts'
import { jobsOf } from '../../config/account-jobs.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { quotasOf } from '../../config/quotas.ts'
import type { Cause } from '../../core/define/cause.ts'
import type { Job } from '../../core/define/job.ts'
import { poolOf, type Quotas, RATE_LABELS } from '../../core/define/quota.ts'
import { type DueTimes, dueTimes } from '../../core/time/due-times.ts'
import { MOST_SKEW_MS, nextStart, overdueMs } from '../../core/time/next-start.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { type Plan, planRun } from '../../sync/plan-run.ts'
import { attemptsInLedger } from '../ledger/attempts.ts'
import { type JobRuns, NEVER_RUN, readJobRuns } from '../ledger/job-runs.ts'
import { notificationStatus } from '../notifications/notification-status.ts'
import { cachedUntilMarked, type Validity } from './cached-reads.ts'
import { type LedgerStatus, readLedgers } from './read-ledgers.ts'
import { readRuns } from './read-runs.ts'
import { readStatus, type StreamStatus } from './read-status.ts'
import { overviewOf } from './run-overview.ts'
import type { AccountSnapshot, DueSnapshot, JobSnapshot, PoolSnapshot } from './snapshot.ts'

export type Opened = Pick<OpenWarehouse, 'warehouse' | 'wiring'>

/** Returns why an account is unhealthy. */
export type ReadCauses = (opened: Opened, settings: AccountSettings) => Promise<readonly Cause[]>

/**
 * Returns a function that reads an account's state. Slow parts, such as row counts, are cached until a run of
 * the job ends, for at most an hour, or for ten minutes while a run is under way.
 */
export function snapshotReader(
  opened: Opened,
  settings: AccountSettings,
  readCauses: ReadCauses,
): () => Promise<AccountSnapshot> {
  const { warehouse, wiring } = opened
  const { clock } = wiring
  const account = settings.name
  const quotas = quotasOf(settings.quotas)
  const timed = timedJobs(opened, settings)
  const cachedStreams = new Map(
    jobs.map(({ name }) => [name, cachedUntilMarked<StreamStatus[]>(clock)]),
  )
  const cachedProspects = cachedUntilMarked<Prospects>(clock)
  return async () => {
    const nowMs = clock.now()
    const runs = await readJobRuns(warehouse, { account, jobs })
    const due = await readDue(opened, { account, timed, nowMs })
    const statuses: JobSnapshot[] = []
    for (const job of jobs) {
      const { name, title } = job
      const known = runs.get(name) ?? NEVER_RUN
      const keep = cachedStreams.get(name) ?? cachedUntilMarked<StreamStatus[]>(clock)
      const streams = await keep(validityOf([known]), () => readStreams(opened, settings, job))
      statuses.push({ job: name, title, ...known, streams, due: due.get(name) })
    }
    const ledgers = await readLedgers(warehouse.db, account)
    const valid = validityOf([...runs.values()])
    const { planned, ...foreseen } = await cachedProspects(valid, () =>
      readProspects(opened, settings),
    )
    return {
      account,
      readAtMs: nowMs,
      causes: await readCauses(opened, settings),
      jobs: statuses,
      ledgers,
      quota: poolsOf(ledgers, { quotas, reserve: settings.reserve, planned }),
      ...foreseen,
      lastRuns: (await readRuns(warehouse, { account, limit: LAST_RUNS })).map(overviewOf),
    }
  }
}

interface TimedJob {
  job: string
  schedule: string
  timezone: string
  times: DueTimes
}

function timedJobs({ wiring: { config } }: Opened, settings: AccountSettings): TimedJob[] {
  return Object.entries(jobsOf(config, settings)).map(([job, due]) => ({
    job,
    ...due,
    times: dueTimes(due),
  }))
}

/**
 * Returns how long cached parts are valid. The start of a run does not invalidate them, and during a run
 * older ones suffice.
 */
function validityOf(runs: readonly JobRuns[]): Validity {
  if (runs.some(({ lastRun }) => lastRun?.state === 'running'))
    return { mark: undefined, longestMs: TEN_MIN_MS }
  const ended = runs.map(({ lastRun }) => lastRun?.id ?? 0)
  return { mark: ended.join(' '), longestMs: HOUR_MS }
}

async function readDue(
  { warehouse }: Opened,
  { account, timed, nowMs }: { account: string; timed: readonly TimedJob[]; nowMs: number },
): Promise<Map<string, DueSnapshot>> {
  const asked = timed.map(({ job, times }) => ({
    account,
    job,
    sinceMs: (times.last(nowMs) ?? nowMs) - MOST_SKEW_MS,
  }))
  const attempts = await attemptsInLedger(warehouse, asked)
  return new Map(
    timed.map(({ job, schedule, timezone, times }, at) => {
      const known = attempts[at] ?? []
      const due = {
        schedule,
        timezone,
        lastMs: times.last(nowMs),
        nextStartMs: nextStart(times, known, nowMs),
        overdueMs: overdueMs(times, known, nowMs),
      }
      return [job, due]
    }),
  )
}

async function readStreams(
  { warehouse, wiring }: Opened,
  settings: AccountSettings,
  job: Job,
): Promise<StreamStatus[]> {
  const account = settings.name
  const time = { nowMs: wiring.clock.now(), ...reachOf(settings) }
  const { jobs: read } = await readStatus(warehouse, { account, jobs: [job], ...time })
  return read.flatMap(({ streams }) => streams)
}

function poolsOf(
  { quota }: LedgerStatus,
  { quotas, reserve, planned }: { quotas: Quotas; reserve: number } & Pick<Prospects, 'planned'>,
): PoolSnapshot[] {
  const labels = Map.groupBy(RATE_LABELS, (label) => poolOf(label, quotas[label]))
  return [...labels].map(([pool, sharing]) => {
    const days = sharing.flatMap((label) => {
      const { [label]: own } = quotas
      return own === 'learn' || own.perDay === undefined ? [] : [own.perDay]
    })
    return {
      pool,
      spent: quota.find((one) => one.pool === pool)?.spent ?? 0,
      limit: days.length === 0 ? undefined : Math.floor(Math.min(...days) * (1 - reserve)),
      planned: sharing.reduce((sum, label) => sum + (planned[label] ?? 0), 0),
    }
  })
}

const LAST_RUNS = 10
const TEN_MIN_MS = 600_000
const HOUR_MS = 3_600_000

/** Parts of a snapshot that are slow to read and change little between runs. */
export interface Prospects extends Pick<AccountSnapshot, 'archive' | 'notifications'> {
  /** The calls that a sync of all enabled jobs would need now. */
  planned: Plan['callsPerLabel']
}

export async function readProspects(
  opened: Pick<OpenWarehouse, 'warehouse' | 'wiring'>,
  settings: AccountSettings,
): Promise<Prospects> {
  const { warehouse, wiring } = opened
  const { clock, config } = wiring
  const account = settings.name
  const nowMs = clock.now()
  const enabled = chooseJobs([], config, settings)
  const { deadlines, files } = await readArchiveStatus(
    { clock },
    { opened, settings, jobs: enabled },
  )
  return {
    archive: { deadlines: deadlines === undefined ? undefined : withoutNames(deadlines), files },
    notifications: await notificationStatus(warehouse.db, {
      account,
      sinceMs: nowMs - 30 * DAY_MS,
    }),
    planned: await planCalls(opened, settings),
  }
}

function withoutNames<T extends { lost: unknown }>({ lost: _lost, ...deadlines }: T) {
  return deadlines
}

async function planCalls(
  { warehouse, wiring: { clock, config } }: Pick<OpenWarehouse, 'warehouse' | 'wiring'>,
  settings: AccountSettings,
): Promise<Plan['callsPerLabel']> {
  const account = settings.name
  const scope = { account, jobs: chooseJobs([], config, settings) }
  const plan = await planRun({ warehouse, clock, ...reachOf(settings) }, scope)
  const calls = { ...plan.callsPerLabel }
  const files = await planFiles(warehouse, { settings: config.archive }, scope)
  for (const { label, calls: more } of files) calls[label] = (calls[label] ?? 0) + more
  return calls
}
