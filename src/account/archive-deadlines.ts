import { type ArchiveDeadlines, callsAreScarce, readDeadlines } from '../archive/read-deadlines.ts'
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
import { createQuotaLedger } from '../warehouse/ledger/quota-ledger.ts'
import { type QuotaFacts, readQuotaFacts } from './quota-facts.ts'
import type { OpenWarehouse } from './wire.ts'

/** Returns the archives' deadlines; undefined if none of `jobs` lists archives or no files are archived. */
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
    facts,
    retryAtMs: facts.retryAt.get(label) ?? 0,
  })
}

/** See `ArchiveAccess`. Archives use the calls of one pool, so the calls of other pools are never scarce. */
export async function archiveCallsAreScarce(
  { warehouse, wiring }: Pick<OpenWarehouse, 'warehouse' | 'wiring'>,
  { settings, ledger, label }: { settings: AccountSettings; ledger: QuotaLedger; label: RateLabel },
): Promise<boolean> {
  const { rate, paging } = getWhiteboardSession
  const quotas = quotasOf(settings.quotas)
  if (poolOf(label, quotas[label]) !== poolOf(rate, quotas[rate])) return false
  const facts = await readQuotaFacts(wiring, settings, ledger)
  const pageSize = paging?.maxPageSize ?? 1
  return await callsAreScarce(warehouse, { account: settings.name, label: rate, pageSize, facts })
}

export interface ArchiveStatus {
  deadlines: ArchiveDeadlines | undefined
  files: FileStateCount[]
  /** The incidents of the last seven days. */
  incidents: IncidentCount[]
}

/** Reads the status of an account's archive, from the database only. */
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
  const facts = await readQuotaFacts({ clock }, settings, createQuotaLedger(warehouse, account))
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
