import { type ArchiveStatus, readArchiveStatus } from '../../account/archive-deadlines.ts'
import { jobs as allJobs } from '../../account/catalog.ts'
import { chooseJobs } from '../../account/choose-jobs.ts'
import { readQuotaFacts } from '../../account/quota-facts.ts'
import { reachOf } from '../../account/reach-of.ts'
import { hasNotificationSecrets } from '../../account/request-secrets.ts'
import { type OpenWarehouse, openLedger } from '../../account/wire.ts'
import { estimate } from '../../api/quota/estimate.ts'
import { planFiles } from '../../archive/plan-files.ts'
import { jobsOf } from '../../config/account-jobs.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { wantsAnyFiles } from '../../config/archive-settings.ts'
import { needsLogin } from '../../core/define/app-kind.ts'
import type { Cause } from '../../core/define/cause.ts'
import { dueTimes } from '../../core/time/due-times.ts'
import { MOST_SKEW_MS, nextStart } from '../../core/time/next-start.ts'
import { nextReset } from '../../sync/ending.ts'
import { type Plan, planRun } from '../../sync/plan-run.ts'
import { slicesSetAside } from '../../warehouse/ledger/quarantine.ts'
import type { HealthFacts, JobFacts, QuotaNeed, SetAsideFacts } from './facts.ts'
import { installationHealth } from './installation-health.ts'
import { judgeHealth } from './judge.ts'
import { type HealthScope, readFacts } from './read-facts.ts'
import type { Opened } from './read-snapshot.ts'
import { keptWindows } from './read-status.ts'

/**
 * Returns why an account is unhealthy, the red causes first; empty if it is healthy. Reads only the database.
 * Pass `archive` if it has already been read, and `awakeMs` if this process runs the jobs.
 */
export async function readHealth(
  opened: Pick<OpenWarehouse, 'warehouse' | 'wiring'>,
  settings: AccountSettings,
  { archive, awakeMs }: { archive?: ArchiveStatus; awakeMs?: number } = {},
): Promise<Cause[]> {
  const { warehouse, wiring } = opened
  const { clock, config } = wiring
  // Reads the time first: if the machine sleeps during the reads, that time must not count as work.
  const nowMs = clock.now()
  const jobs = chooseJobs([], config, settings)
  const known = archive ?? (await readArchiveStatus({ clock }, { opened, settings, jobs }))
  const ledgers = await readFacts(warehouse, { ...scopeOf(opened, settings), awakeMs })
  const quotas = await quotaNeeds(opened, settings, ledgers.jobs)
  const setAside = await readSetAside(opened, settings)
  const facts = { ...ledgers, quotas, setAside, archive: archiveFacts(known) }
  return judgeHealth(facts, nowMs)
}

function scopeOf(
  { wiring: { config } }: Pick<OpenWarehouse, 'wiring'>,
  settings: AccountSettings,
): Omit<HealthScope, 'awakeMs'> {
  return {
    account: settings.name,
    settings: config.health,
    jobs: jobsOf(config, settings),
    fileJobs: chooseJobs([], config, settings).flatMap(({ name, archive }) =>
      archive ? [name] : [],
    ),
    loginKind: needsLogin(settings.app) ? `oauth:${settings.clientId}` : undefined,
    keepsEvidence: wantsAnyFiles(config.archive),
    hearsNotifications: hasNotificationSecrets(settings),
  }
}

/**
 * Reads quarantined records in streams of enabled jobs, without those of split windows, which are never read
 * again.
 */
async function readSetAside(
  { warehouse, wiring: { clock, config } }: Pick<OpenWarehouse, 'warehouse' | 'wiring'>,
  settings: AccountSettings,
): Promise<SetAsideFacts[]> {
  const { name: account } = settings
  const slices = await slicesSetAside(warehouse.db, account)
  if (slices.length === 0) return []
  const jobs = chooseJobs([], config, settings)
  const scope = { account, jobs, nowMs: clock.now(), ...reachOf(settings) }
  const isKept = await keptWindows(warehouse, scope)
  const names = new Set(jobs.flatMap(({ streams }) => streams.map((stream) => stream.name)))
  const kept = slices.filter(({ stream, slice }) => names.has(stream) && isKept(stream, slice))
  return [...Map.groupBy(kept, ({ stream }) => stream)].map(([stream, same]) => ({
    stream,
    records: same.reduce((sum, { records }) => sum + records, 0),
    sinceMs: Math.min(...same.map(({ since }) => Date.parse(since))),
  }))
}

function archiveFacts({ deadlines, incidents }: ArchiveStatus): HealthFacts['archive'] {
  const expired = incidents.find(({ kind }) => kind === 'expired_before_download')
  if (deadlines === undefined && expired === undefined) return undefined
  const instants = (expired?.latest ?? []).map(({ at }) => Date.parse(at))
  return {
    willExpire: (deadlines?.lost ?? []).reduce((sum, { lost }) => sum + lost, 0),
    overdue: deadlines?.overdue.archives ?? 0,
    overdueSessions: deadlines?.overdue.sessions ?? 0,
    expired: expired?.incidents ?? 0,
    expiredSinceMs: instants.length > 0 ? Math.min(...instants) : undefined,
  }
}

/**
 * Returns the causes for the status page of an account: its own and the installation's, without untried jobs.
 */
export async function readCauses(
  opened: Opened,
  settings: AccountSettings,
  awakeMs: number,
): Promise<Cause[]> {
  const own = await readHealth(opened, settings, { awakeMs })
  const shared = await installationHealth(opened.wiring)
  return [...shared, ...own.filter(({ quiet }) => quiet !== 'untried')]
}

/**
 * Returns, for each daily quota, the calls that today's remaining jobs need and the calls left. Plans nothing
 * without a daily quota, because planning is slow.
 */
async function quotaNeeds(
  opened: Pick<OpenWarehouse, 'warehouse' | 'wiring'>,
  settings: AccountSettings,
  jobs: readonly JobFacts[],
): Promise<QuotaNeed[]> {
  const { warehouse, wiring } = opened
  const { clock, config } = wiring
  const facts = await readQuotaFacts({ clock }, settings, openLedger(opened, settings.name))
  const limited = Object.values(facts.quotas).some((quota) => isDaily(quota))
  const names = limited ? stillToday(jobs, facts.nowMs) : []
  if (names.length === 0) return []
  const scope = { account: settings.name, jobs: allJobs.filter(({ name }) => names.includes(name)) }
  const plan = await planRun({ warehouse, clock, ...reachOf(settings) }, scope)
  const callsPerLabel: Plan['callsPerLabel'] = { ...plan.callsPerLabel }
  for (const { label, calls } of await planFiles(warehouse, { settings: config.archive }, scope))
    callsPerLabel[label] = (callsPerLabel[label] ?? 0) + calls
  const { labels } = estimate({ ...facts, callsPerLabel })
  return [...Map.groupBy(labels, ({ pool }) => pool)].flatMap(([pool, sharing]) => {
    const limit = Math.min(...sharing.map(({ dailyLimit }) => dailyLimit ?? Infinity))
    if (!Number.isFinite(limit)) return []
    const needed = sharing.reduce((sum, { calls }) => sum + calls, 0)
    return [{ pool, needed, left: Math.max(0, limit - (sharing[0]?.spentToday ?? 0)) }]
  })
}

/** Returns the jobs that start again before the quota resets, and those that are due and not finished. */
function stillToday(jobs: readonly JobFacts[], nowMs: number): string[] {
  return jobs
    .filter((job) => {
      const times = dueTimes(job)
      const lastMs = times.last(nowMs)
      const startMs = nextStart(times, job.runs, nowMs)
      const undone = lastMs !== undefined && (job.lastDoneMs ?? 0) < lastMs - MOST_SKEW_MS
      return undone || (startMs !== undefined && startMs < nextReset(nowMs))
    })
    .map(({ job }) => job)
}

function isDaily(quota: 'learn' | { perDay?: number }): boolean {
  return quota !== 'learn' && quota.perDay !== undefined
}
