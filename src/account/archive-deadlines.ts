import { type ArchiveDeadlines, readDeadlines, readSpareCalls } from '../archive/read-deadlines.ts'
import { countFileStates, type FileStateCount } from '../archive/sql/files.ts'
import { type IncidentCount, recentIncidents } from '../archive/sql/incidents.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { quotasOf } from '../config/quotas.ts'
import type { Job } from '../core/define/job.ts'
import type { RateLabel } from '../core/define/operation.ts'
import type { QuotaLedger } from '../core/define/ports.ts'
import { poolOf } from '../core/define/quota.ts'
import type { Clock } from '../core/time/clock.ts'
import { DAY_MS } from '../core/time/time.ts'
import { getWhiteboardSession, whiteboardActivities } from '../resources/whiteboard-archives.ts'
import { planRun } from '../sync/plan.ts'
import { jobs as allJobs } from './catalog.ts'
import { type QuotaFacts, readQuotaFacts } from './quota-facts.ts'
import { reachOf } from './reach-of.ts'
import { type OpenWarehouse, openLedger } from './wire.ts'

/** The deadlines of the archives that these jobs fetch; undefined where they fetch none. */
export async function archiveDeadlines(
  { warehouse, wiring: { config } }: Pick<OpenWarehouse, 'warehouse' | 'wiring'>,
  options: {
    account: string
    jobs: readonly Job[]
    facts: QuotaFacts
  },
): Promise<ArchiveDeadlines | undefined> {
  const { account, jobs, facts } = options
  if (!config.archive.files || !jobs.some(listsArchives)) return undefined
  const { rate: label, paging } = getWhiteboardSession
  return await readDeadlines(warehouse, {
    account,
    rules: config.archive.priority,
    stream: whiteboardActivities,
    label,
    pageSize: paging?.maxPageSize ?? 1,
    // A run fetches what expires within seven days before it lists anything.
    facts: { ...facts, callsPerLabel: {} },
    retryAtMs: facts.retryAt.get(label) ?? 0,
  })
}

/** The calls of a label that may go to files without a deadline; see `ArchiveAccess`. */
export async function openSpareCalls(
  { warehouse, wiring }: Pick<OpenWarehouse, 'warehouse' | 'wiring'>,
  { settings, ledger, label }: { settings: AccountSettings; ledger: QuotaLedger; label: RateLabel },
): Promise<() => Promise<number>> {
  const { name: account } = settings
  const { clock } = wiring
  const { rate, paging } = getWhiteboardSession
  const quotas = quotasOf(settings.quotas)
  if (poolOf(label, quotas[label]) !== poolOf(rate, quotas[rate])) return async () => Infinity
  const lists = { account, jobs: allJobs.filter(listsArchives) }
  const { callsPerLabel } = await planRun({ warehouse, clock, ...reachOf(settings) }, lists)
  return async () => {
    const { retryAt, ...facts } = await readQuotaFacts({ clock }, settings, ledger)
    return await readSpareCalls(warehouse, {
      account,
      label: rate,
      pageSize: paging?.maxPageSize ?? 1,
      facts: { ...facts, callsPerLabel },
      retryAtMs: retryAt.get(rate) ?? 0,
    })
  }
}

export interface ArchiveStatus {
  deadlines: ArchiveDeadlines | undefined
  files: FileStateCount[]
  /** Of the last seven days. */
  incidents: IncidentCount[]
}

/** How an account's archive stands. Reads the database only. */
export async function readArchiveStatus(
  { clock }: { clock: Clock },
  {
    opened,
    settings,
    jobs,
  }: {
    opened: Pick<OpenWarehouse, 'warehouse' | 'wiring'>
    settings: AccountSettings
    jobs: readonly Job[]
  },
): Promise<ArchiveStatus> {
  const { warehouse } = opened
  const account = settings.name
  const facts = await readQuotaFacts({ clock }, settings, openLedger(opened, settings.name))
  return {
    deadlines: await archiveDeadlines(opened, { account, jobs, facts }),
    files: await countFileStates(warehouse.db, account),
    incidents: await recentIncidents(warehouse.db, {
      account,
      sinceMs: clock.now() - 7 * DAY_MS,
    }),
  }
}

function listsArchives({ streams }: Job): boolean {
  return streams.some(({ name }) => name === whiteboardActivities.name)
}
