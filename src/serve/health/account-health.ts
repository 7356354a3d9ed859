import { type ArchiveStatus, readArchiveStatus } from '../../account/archive-deadlines.ts'
import { jobs as allJobs } from '../../account/catalog.ts'
import { chooseJobs } from '../../account/choose-jobs.ts'
import { reachOf } from '../../account/reach-of.ts'
import { hasNotificationSecrets } from '../../account/request-secrets.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import { dueOf, jobsOf, reportsOf } from '../../config/account-jobs.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { wantsAnyFiles } from '../../config/archive-settings.ts'
import { accountToName } from '../../config/databases.ts'
import { needsLogin } from '../../core/define/app-kind.ts'
import type { Cause } from '../../core/define/cause.ts'
import type { Job } from '../../core/define/job.ts'
import { dueTimes } from '../../core/time/due-times.ts'
import { MOST_SKEW_MS, nextStart } from '../../core/time/next-start.ts'
import { withAccount } from '../../core/values/account-commands.ts'
import { nextReset } from '../../sync/ending.ts'
import { slicesSetAside } from '../../warehouse/ledger/quarantine.ts'
import type { HealthFacts, JobFacts, SetAsideFacts } from './facts.ts'
import { installationHealth } from './installation-health.ts'
import { judgeHealth } from './judge.ts'
import { type PoolStatus, planCalls, poolsOf } from './quota-pools.ts'
import { type HealthScope, type LedgerFacts, readFacts } from './read-facts.ts'
import { keptWindows } from './read-status.ts'

export type Opened = Pick<OpenWarehouse, 'warehouse' | 'wiring'>

/** An account's health, and some of the facts that decided it. */
export interface AccountHealth extends Pick<LedgerFacts, 'jobs' | 'ledgers'> {
  /** Why the account is unhealthy, the red causes first; empty if it is healthy. */
  causes: Cause[]
  archive: ArchiveStatus
}

/** Judges an account without calling the service. Pass `awakeMs` if this process runs the jobs. */
export async function readHealth(
  opened: Opened,
  settings: AccountSettings,
  awakeMs?: number,
): Promise<AccountHealth> {
  const { warehouse, wiring } = opened
  const { clock, config } = wiring
  // Reads the time first: if the machine sleeps during the reads, that time must not make jobs late.
  const nowMs = clock.now()
  const enabled = chooseJobs([], config, settings)
  const archive = await readArchiveStatus({ clock }, { opened, settings, jobs: enabled })
  const read = await readFacts(warehouse, { ...scopeOf(opened, settings), awakeMs })
  const { jobs, ledgers } = read
  const quotas = await readQuotas(opened, settings, read)
  const setAside = await readSetAside(opened, settings)
  const facts = { ...read, quotas, setAside, archive: archiveFacts(archive) }
  const named = accountToName(config, settings.name)
  const causes = judgeHealth(facts, nowMs).map(({ todo, ...cause }) => ({
    ...cause,
    todo: withAccount(todo, named),
  }))
  return { causes, jobs, ledgers, archive }
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
    works: [
      ...worksOf('report', reportsOf(config)),
      ...worksOf('task', dueOf(config.tasks, config.timezone)),
    ],
  }
}

function worksOf(kind: 'report' | 'task', due: object): HealthScope['works'] {
  return Object.keys(due).map((name) => ({ name, kind }))
}

/**
 * Counts the quarantined records of each stream that an enabled job reads. Omits windows that no run reads
 * again, such as split ones.
 */
async function readSetAside(
  { warehouse, wiring: { clock, config } }: Opened,
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
 * Reads an account's health for its status page. Adds the causes of the installation, and omits causes of
 * jobs that this process has not tried yet.
 */
export async function readShownHealth(
  opened: Opened,
  settings: AccountSettings,
  awakeMs: number,
): Promise<AccountHealth> {
  const { causes, ...health } = await readHealth(opened, settings, awakeMs)
  const shared = await installationHealth(opened.wiring)
  return { ...health, causes: [...shared, ...causes.filter(({ quiet }) => quiet !== 'untried')] }
}

/**
 * Returns all quota pools, with the calls that today's remaining jobs need. Returns none if no pool has a
 * daily limit, or no job remains today.
 */
async function readQuotas(
  opened: Opened,
  settings: AccountSettings,
  { ledgers, jobs }: LedgerFacts,
): Promise<PoolStatus[]> {
  const today = stillToday(jobs, opened.wiring.clock.now())
  const isLimited = poolsOf(ledgers, settings).some(({ left }) => left !== undefined)
  if (!isLimited || today.length === 0) return []
  return poolsOf(ledgers, settings, await planCalls(opened, settings, today))
}

/** Returns the jobs that are due and not yet complete, and the jobs that start before the quota resets. */
function stillToday(jobs: readonly JobFacts[], nowMs: number): Job[] {
  const today = jobs.filter((job) => {
    const times = dueTimes(job)
    const lastMs = times.last(nowMs)
    const startMs = nextStart(times, job.runs, nowMs)
    const undone = lastMs !== undefined && (job.lastDoneMs ?? 0) < lastMs - MOST_SKEW_MS
    return undone || (startMs !== undefined && startMs < nextReset(nowMs))
  })
  return allJobs.filter(({ name }) => today.some(({ job }) => job === name))
}
