import type { AccountSettings } from '../../config/account-settings.ts'
import type { Job } from '../../core/declare/job.ts'
import { utcMinutes } from '../../core/time/time.ts'
import { type Plan, planRun } from '../../engine/account/plan.ts'
import { type FilesPlan, planFiles } from '../../engine/archive/plan-files.ts'
import type { ArchiveDeadlines } from '../../engine/archive/read-deadlines.ts'
import { type Estimate, estimate } from '../../engine/plan/estimate.ts'
import { openFoundReadings } from '../../warehouse/ledgers/found-readings.ts'
import { archiveDeadlines } from '../accounts/archive-deadlines.ts'
import { readQuotaFacts } from '../accounts/quota-facts.ts'
import { reachOf } from '../accounts/reach-of.ts'
import { type OpenWarehouse, openLedger, withWarehouse } from '../accounts/wire.ts'
import { chooseAccounts, chooseJobs } from '../catalog/choose.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { duration, type Output } from '../frame/output.ts'
import { deadlinesJson, printDeadlines } from '../output/deadline-lines.ts'

export interface PlanOptions extends CommonOptions {
  account?: string
  full?: boolean
}

export async function planAccounts(
  context: Context,
  names: readonly string[],
  options: PlanOptions,
): Promise<number> {
  const { config } = await context.loadConfig()
  const chosen = chooseAccounts(config, options.account).map((settings) => ({
    settings,
    jobs: chooseJobs(names, config, settings),
  }))
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const plans: AccountPlan[] = []
    for (const { settings, jobs } of chosen) {
      const scope = { account: settings.name, jobs, full: options.full === true }
      const planned = await planAccount(context, { opened, settings, scope })
      printPlan(context, planned)
      plans.push(planned)
    }
    context.output.result({ accounts: plans.map(asJson) })
    return 0
  })
}

interface Task {
  opened: OpenWarehouse
  settings: AccountSettings
  scope: { account: string; jobs: readonly Job[]; full: boolean }
}

interface AccountPlan extends Plan, Estimate {
  files: FilesPlan[]
  /** Undefined where the jobs fetch no archives. */
  archive: ArchiveDeadlines | undefined
}

async function planAccount(
  { clock }: Context,
  { opened, settings, scope }: Task,
): Promise<AccountPlan> {
  const { warehouse } = opened
  const found = await openFoundReadings(warehouse, settings.name)
  const plan = await planRun({ warehouse, clock, found, ...reachOf(settings) }, scope)
  const files = await planFiles(warehouse, { settings: opened.wiring.config.archive }, scope)
  const callsPerLabel = { ...plan.callsPerLabel }
  for (const { label, calls } of files) callsPerLabel[label] = (callsPerLabel[label] ?? 0) + calls
  const facts = await readQuotaFacts({ clock }, settings, openLedger(opened, settings.name))
  const archive = await archiveDeadlines(opened, {
    account: settings.name,
    jobs: scope.jobs,
    facts,
  })
  return { ...plan, callsPerLabel, files, ...estimate({ ...facts, callsPerLabel }), archive }
}

function printPlan({ output, clock }: Context, plan: AccountPlan): void {
  output.line(`Account ${plan.account}`)
  output.table([
    ['job', 'table', 'slices', 'calls', '', 'label'],
    ...plan.streams.map(({ job, stream, slices, expectedCalls, atLeast, label }) => [
      job,
      stream,
      slices,
      expectedCalls,
      atLeast ? 'or more' : '',
      label,
    ]),
    ...plan.files.map(({ job, kind, parents, calls, label }) => [
      job,
      FILES[kind],
      parents,
      calls,
      '',
      label,
    ]),
  ])
  output.line()
  printLabels(output, plan)
  output.line(`\n${ending(plan, clock.now())}`)
  if (plan.streams.some(({ atLeast }) => atLeast))
    output.line(
      'Slices that were never read count as one call each; a first sync may take many more.',
    )
  if (plan.files.length > 0)
    output.line('Files are those that are known; what the lists show anew comes on top.')
  if (plan.archive !== undefined) {
    output.line()
    printDeadlines(output, plan.archive)
  }
}

function printLabels(output: Output, { labels }: Estimate): void {
  output.table([
    ['label', 'calls', 'calls/s', 'time', 'spent today', 'of'],
    ...labels.map((label) => [
      label.label,
      label.calls,
      label.callsPerSecond === undefined ? 'to learn' : label.callsPerSecond.toFixed(2),
      label.seconds === undefined ? '' : duration(label.seconds * 1000),
      label.spentToday,
      label.dailyLimit ?? 'no known limit',
    ]),
  ])
}

function ending({ endsAtMs, days, labels }: Estimate, nowMs: number): string {
  if (labels.length === 0) return 'Nothing is due.'
  if (endsAtMs === undefined)
    return 'When it ends cannot be said: a rate is still to be learned (setting quotas).'
  const at = `${utcMinutes(endsAtMs)} UTC`
  const spread = days > 1 ? ` It needs ${days} days: each day's quota pauses the run.` : ''
  return `Started now it would end at ${at} at the earliest, in ${duration(endsAtMs - nowMs)}.${spread}`
}

function asJson({ endsAtMs, archive, ...plan }: AccountPlan): object {
  return {
    ...plan,
    endsAt: endsAtMs === undefined ? null : new Date(endsAtMs).toISOString(),
    archive: archive === undefined ? null : deadlinesJson(archive),
  }
}

const FILES: Readonly<Record<FilesPlan['kind'], string>> = {
  activity: 'files of activities',
  recording: 'files of recordings',
}
