import type { ArchiveStatus } from '../../account/archive-deadlines.ts'
import { jobs } from '../../account/catalog.ts'
import { chooseJobs } from '../../account/choose-jobs.ts'
import { reachOf } from '../../account/reach-of.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { dueTimes } from '../../core/time/due-times.ts'
import { nextStart, overdueMs } from '../../core/time/next-start.ts'
import { DAY_MS } from '../../core/time/time.ts'
import type { Plan } from '../../sync/plan-run.ts'
import { type JobRuns, NEVER_RUN, readJobRuns } from '../ledger/job-runs.ts'
import { notificationStatus } from '../notifications/notification-status.ts'
import type { AccountHealth, Opened } from './account-health.ts'
import { cachedUntilMarked, type Validity } from './cached-reads.ts'
import type { JobFacts } from './facts.ts'
import { planCalls, poolsOf } from './quota-pools.ts'
import { readRuns } from './read-runs.ts'
import { readStreams, type StreamStatus } from './read-status.ts'
import { overviewOf } from './run-overview.ts'
import type { AccountSnapshot, DueSnapshot, JobSnapshot } from './snapshot.ts'

export type ReadShownHealth = (opened: Opened, settings: AccountSettings) => Promise<AccountHealth>

/**
 * Returns a function that reads an account's state. Slow parts, such as row counts, are cached until a run of
 * the job ends: for at most an hour, or ten minutes while a run is in progress.
 */
export function snapshotReader(
  opened: Opened,
  settings: AccountSettings,
  readShownHealth: ReadShownHealth,
): () => Promise<AccountSnapshot> {
  const { warehouse, wiring } = opened
  const { clock, config } = wiring
  const account = settings.name
  const caches = jobs.map((job) => ({ job, keep: cachedUntilMarked<StreamStatus[]>(clock) }))
  const cachedProspects = cachedUntilMarked<Prospects>(clock)
  return async () => {
    const nowMs = clock.now()
    const scope = { account, nowMs, ...reachOf(settings) }
    const runs = await readJobRuns(warehouse, { account, jobs })
    const { causes, jobs: known, ledgers, archive } = await readShownHealth(opened, settings)
    const statuses: JobSnapshot[] = []
    for (const { job, keep } of caches) {
      const { name, title } = job
      const ran = runs.get(name) ?? NEVER_RUN
      const streams = await keep(validityOf([ran]), () =>
        readStreams(warehouse, { ...scope, jobs: [job] }),
      )
      const facts = known.find((one) => one.job === name)
      statuses.push({ job: name, title, ...ran, streams, due: facts && dueOf(facts, nowMs) })
    }
    const { planned, notifications } = await cachedProspects(
      validityOf([...runs.values()]),
      async () => ({
        notifications: await notificationStatus(warehouse.db, {
          account,
          sinceMs: nowMs - 30 * DAY_MS,
        }),
        planned: await planCalls(opened, settings, chooseJobs([], config, settings)),
      }),
    )
    return {
      account,
      readAtMs: nowMs,
      causes,
      jobs: statuses,
      ledgers,
      quota: poolsOf(ledgers, settings, planned),
      archive: withoutNames(archive),
      notifications,
      lastRuns: (await readRuns(warehouse, { accounts: [account], limit: LAST_RUNS })).map(
        overviewOf,
      ),
    }
  }
}

function withoutNames({ deadlines, files }: ArchiveStatus): AccountSnapshot['archive'] {
  if (deadlines === undefined) return { deadlines, files }
  const { lost: _lost, ...counts } = deadlines
  return { deadlines: counts, files }
}

function dueOf({ schedule, timezone, runs }: JobFacts, nowMs: number): DueSnapshot {
  const times = dueTimes({ schedule, timezone })
  const nextStartMs = nextStart(times, runs, nowMs)
  const overdue = overdueMs(times, runs, nowMs)
  return { schedule, timezone, lastMs: times.last(nowMs), nextStartMs, overdueMs: overdue }
}

/** Returns how long cached parts are valid. While a run is in progress, only their age counts. */
function validityOf(runs: readonly JobRuns[]): Validity {
  if (runs.some(({ lastRun }) => lastRun?.state === 'running'))
    return { mark: undefined, longestMs: TEN_MIN_MS }
  const ended = runs.map(({ lastRun }) => lastRun?.id ?? 0)
  return { mark: ended.join(' '), longestMs: HOUR_MS }
}

const LAST_RUNS = 10
const TEN_MIN_MS = 600_000
const HOUR_MS = 3_600_000

/** Parts of a snapshot that are slow to read and change little between runs. */
interface Prospects extends Pick<AccountSnapshot, 'notifications'> {
  /** The calls that a sync of all enabled jobs would need now. */
  planned: Plan['callsPerLabel']
}
