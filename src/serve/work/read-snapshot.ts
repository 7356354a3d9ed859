import { jobs } from '../../account/catalog.ts'
import { reachOf } from '../../account/reach-of.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import { jobsOf } from '../../config/account-jobs.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { quotasOf } from '../../config/quotas.ts'
import type { Cause } from '../../core/define/cause.ts'
import type { Job } from '../../core/define/job.ts'
import { poolOf, type Quotas, RATE_LABELS } from '../../core/define/quota.ts'
import { type DueTimes, dueTimes } from '../../core/time/due-times.ts'
import { MOST_SKEW_MS, nextStart, overdueMs } from '../../core/time/next-start.ts'
import { type JobRuns, NEVER_RUN, readJobRuns } from '../health/read-job-runs.ts'
import { type LedgerStatus, readLedgers } from '../health/read-ledgers.ts'
import { readRuns } from '../health/read-runs.ts'
import { readStatus, type StreamStatus } from '../health/read-status.ts'
import { overviewOf } from '../health/run-overview.ts'
import type { AccountSnapshot, DueSnapshot, JobSnapshot, PoolSnapshot } from '../health/snapshot.ts'
import { attemptsInLedger } from '../queue/ledger-attempts.ts'
import { markedRead, type Validity } from './kept-reads.ts'
import { type Prospects, readProspects } from './read-prospects.ts'

export type Opened = Pick<OpenWarehouse, 'warehouse' | 'wiring'>

/** Why an account is not well. */
export type ReadCauses = (opened: Opened, settings: AccountSettings) => Promise<readonly Cause[]>

/**
 * Answers how an account stands, at each call anew. Only what is long to read, as the rows of a table, is
 * kept: until a run of the job has ended, or ten minutes while one goes on, and an hour at most.
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
  const keptStreams = new Map(jobs.map(({ name }) => [name, markedRead<StreamStatus[]>(clock)]))
  const keptProspects = markedRead<Prospects>(clock)
  return async () => {
    const nowMs = clock.now()
    const runs = await readJobRuns(warehouse, { account, jobs })
    const due = await readDue(opened, { account, timed, nowMs })
    const statuses: JobSnapshot[] = []
    for (const job of jobs) {
      const { name, title } = job
      const known = runs.get(name) ?? NEVER_RUN
      const keep = keptStreams.get(name) ?? markedRead<StreamStatus[]>(clock)
      const streams = await keep(validityOf([known]), () => readStreams(opened, settings, job))
      statuses.push({ job: name, title, ...known, streams, due: due.get(name) })
    }
    const ledgers = await readLedgers(warehouse.db, account)
    const valid = validityOf([...runs.values()])
    const { planned, ...foreseen } = await keptProspects(valid, () =>
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

/** The begin of a run changes nothing yet, and while it goes on an older state will do. */
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
