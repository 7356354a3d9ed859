import { readArchiveStatus } from '../../account/archive-deadlines.ts'
import { jobs } from '../../account/catalog.ts'
import { chooseJobs } from '../../account/choose-jobs.ts'
import { reachOf } from '../../account/reach-of.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import { planFiles } from '../../archive/plan-files.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { type Plan, planRun } from '../../sync/plan.ts'
import { readCoverageDays } from '../health/coverage-days.ts'
import type { AccountSnapshot } from '../health/snapshot.ts'
import { notificationStatus } from '../notifications/notification-status.ts'

/** What of a snapshot is long to read, and changes little between two runs. */
export interface Prospects extends Pick<AccountSnapshot, 'archive' | 'days' | 'notifications'> {
  /** The calls that a sync of all enabled jobs would take, if it began now. */
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
    days: await readCoverageDays(warehouse, { account, jobs, nowMs }),
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
