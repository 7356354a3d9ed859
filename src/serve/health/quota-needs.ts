import { jobs as allJobs } from '../../account/catalog.ts'
import { readQuotaFacts } from '../../account/quota-facts.ts'
import { reachOf } from '../../account/reach-of.ts'
import { type OpenWarehouse, openLedger } from '../../account/wire.ts'
import { estimate } from '../../api/quota/estimate.ts'
import { planFiles } from '../../archive/plan-files.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { dueTimes } from '../../core/time/due-times.ts'
import { MOST_SKEW_MS, nextStart } from '../../core/time/next-start.ts'
import { nextReset } from '../../sync/ending.ts'
import { type Plan, planRun } from '../../sync/plan.ts'
import type { JobFacts, QuotaNeed } from './facts.ts'

/**
 * For each daily quota, the calls that today's remaining jobs need and the calls left. Plans nothing without
 * a daily quota, because planning is slow.
 */
export async function quotaNeeds(
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

/** The jobs that start again before the quota resets, and those that are due and not done. */
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
