import { type ArchiveStatus, readArchiveStatus } from '../../account/archive-deadlines.ts'
import { chooseJobs } from '../../account/choose-jobs.ts'
import { reachOf } from '../../account/reach-of.ts'
import { hasNotificationSecrets } from '../../account/request-secrets.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import { jobsOf } from '../../config/account-jobs.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { wantsAnyFiles } from '../../config/archive-settings.ts'
import { needsLogin } from '../../core/define/app-kind.ts'
import type { Cause } from '../../core/define/cause.ts'
import { slicesSetAside } from '../../warehouse/ledger/quarantine.ts'
import type { HealthFacts, SetAsideFacts } from './facts.ts'
import { installationHealth } from './installation-health.ts'
import { judgeHealth } from './judge.ts'
import { quotaNeeds } from './quota-needs.ts'
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
  // A machine that goes to sleep while it reads must not take that time for one in which it worked.
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
 * Quarantined records in streams of enabled jobs. Windows that were split are never read again, so not
 * theirs.
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
 * The causes for the status page of an account: its own and the installation's, but no job that is untried.
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
