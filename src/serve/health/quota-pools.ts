import { reachOf } from '../../account/reach-of.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import { planFiles, withFileCalls } from '../../archive/plan-files.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { quotasOf } from '../../config/quotas.ts'
import type { Job } from '../../core/define/job.ts'
import { poolOf, RATE_LABELS } from '../../core/define/quota.ts'
import { type Plan, planRun } from '../../sync/plan-run.ts'
import type { LedgerStatus } from './read-ledgers.ts'

/** A daily quota that rate labels share. */
export interface PoolStatus {
  pool: string
  /** The calls made since 00:00 UTC. */
  spent: number
  /** Calls per day less the reserve; undefined if not known. */
  limit: number | undefined
  /** Calls left today; undefined if the limit is not known. */
  left: number | undefined
  /** The calls that a sync would need now. */
  planned: number
}

/** Returns the calls that a sync of these jobs would need now, downloads included. Sends nothing. */
export async function planCalls(
  { warehouse, wiring: { clock, config } }: Pick<OpenWarehouse, 'warehouse' | 'wiring'>,
  settings: AccountSettings,
  jobs: readonly Job[],
): Promise<Plan['callsPerLabel']> {
  const scope = { account: settings.name, jobs }
  const { callsPerLabel } = await planRun({ warehouse, clock, ...reachOf(settings) }, scope)
  const files = await planFiles(warehouse, { settings: config.archive }, scope)
  return withFileCalls(callsPerLabel, files)
}

/** Returns each daily quota of an account, with the calls that were made today and those of a plan. */
export function poolsOf(
  { quota }: Pick<LedgerStatus, 'quota'>,
  { reserve, ...settings }: Pick<AccountSettings, 'quotas' | 'reserve'>,
  planned: Plan['callsPerLabel'] = {},
): PoolStatus[] {
  const quotas = quotasOf(settings.quotas)
  const labels = Map.groupBy(RATE_LABELS, (label) => poolOf(label, quotas[label]))
  return [...labels].map(([pool, sharing]) => {
    const days = sharing.flatMap((label) => {
      const { [label]: own } = quotas
      return own === 'learn' || own.perDay === undefined ? [] : [own.perDay]
    })
    const spent = quota.find((one) => one.pool === pool)?.spent ?? 0
    const limit = days.length === 0 ? undefined : Math.floor(Math.min(...days) * (1 - reserve))
    return {
      pool,
      spent,
      limit,
      left: limit === undefined ? undefined : Math.max(0, limit - spent),
      planned: sharing.reduce((sum, label) => sum + (planned[label] ?? 0), 0),
    }
  })
}
