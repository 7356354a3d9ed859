import type { Command } from 'commander'
import { chooseAccounts } from '../account/choose.ts'
import { readQuotaFacts } from '../account/quota-facts.ts'
import { reachOf } from '../account/reach-of.ts'
import type { OpenWarehouse } from '../account/wire.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import { estimate } from '../api/quota/estimate.ts'
import type { FilesPlan } from '../archive/plan-files.ts'
import { wantsFiles } from '../archive/work.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { type Job, parentsOf } from '../core/define/job.ts'
import { partText } from '../core/records/row-part.ts'
import type { Plan } from '../sync/plan-run.ts'
import { ListSampler } from '../sync/sample-lists.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { deadlinesJson } from './frame/deadline-lines.ts'
import { type ChosenJobs, chooseWork, type WorkOptions, withPart } from './frame/part-options.ts'
import { describeError } from './frame/print-error.ts'
import { type AccountPlan, printPlan } from './plan-lines.ts'

interface PlanOptions extends CommonOptions, WorkOptions {
  account?: string
}

export function planCommand(run: Runner): Command {
  const command = defineCommand('plan', 'Estimate the API calls and duration of the next sync', [
    'plan',
    'plan session-reports --full',
    'plan session-reports --from 2026-06-01 --to 2026-06-03',
  ])
  return withPart(command)
    .addHelpText('after', NOTE)
    .argument('[jobs...]', 'jobs to plan (default: all scheduled jobs)')
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .option('--full', 'plan a full sync')
    .action((jobs: string[], options: PlanOptions) =>
      run(options, (context) => planAccounts(context, jobs, options), { databases: 'each' }),
    )
}

export async function planAccounts(
  context: Context,
  names: readonly string[],
  options: PlanOptions,
): Promise<number> {
  const { config } = await context.loadConfig()
  const nowMs = context.clock.now()
  const chosen: { settings: AccountSettings; work: ChosenJobs }[] = []
  for (const account of chooseAccounts(config, options.account)) {
    const work = await chooseWork(names, options, { config, account, nowMs })
    chosen.push({ settings: account, work })
  }
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const plans: AccountPlan[] = []
    for (const { settings, work } of chosen) {
      const scope = { account: settings.name, ...work }
      const planned = await planAccount(context, { opened, settings, scope })
      printPlan(context.output, planned)
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

async function planAccount(
  context: Context,
  { opened, settings, scope }: Task,
): Promise<AccountPlan> {
  const { archiveDeadlines } = await import('../account/archive-deadlines.ts')
  const { createQuotaLedger } = await import('../warehouse/ledger/quota-ledger.ts')
  const { planFiles, withFileCalls } = await import('../archive/plan-files.ts')
  const { warehouse, wiring } = opened
  const plan = await planAsking(context, { opened, settings, scope })
  const { archive: access } = wiring.config
  const known = await planFiles(warehouse, { settings: access }, scope)
  const files = [...known, ...newFiles(plan, access, scope.jobs)]
  const callsPerLabel = withFileCalls(plan.callsPerLabel, files)
  const ledger = createQuotaLedger(warehouse, settings.name)
  const facts = await readQuotaFacts(context, settings, ledger)
  const archive = await archiveDeadlines(opened, { ...scope, facts })
  const { nowMs, reserve } = facts
  const estimated = estimate({ ...facts, callsPerLabel })
  const parts = Object.entries(settings.rows).map(([name, fields]) => partText(name, fields))
  return { ...plan, parts, callsPerLabel, files, ...estimated, archive, reserve, nowMs }
}

/** Makes the plan. Sends a call only if it needs a list that was never read. */
async function planAsking(
  { clock, signal, output }: Pick<Context, 'clock' | 'signal' | 'output'>,
  { opened, settings, scope }: Task,
): Promise<Plan> {
  const { openAccount } = await import('../account/open-account.ts')
  const { planRun } = await import('../sync/plan-run.ts')
  const { client, close } = await openAccount(opened, settings, { retryRules: IMPATIENT })
  try {
    const parents = new Set(scope.jobs.flatMap(parentsOf))
    const onFirstCall = (): void => {
      if (output.terminal) output.note(SAMPLING)
    }
    const sampler = new ListSampler({ client, parents, nowMs: clock.now(), signal, onFirstCall })
    const deps = { warehouse: opened.warehouse, clock, ...reachOf(settings) }
    return await planRun(deps, scope, sampler)
  } finally {
    await close()
  }
}

/** Estimates the files in lists never read. Omits recordings, because their age decides which are fetched. */
function newFiles(
  plan: Plan,
  settings: Parameters<typeof wantsFiles>[0]['settings'],
  jobs: readonly Job[],
): FilesPlan[] {
  return jobs.flatMap(({ name: job, archive: source }) => {
    const calls = plan.newFiles[job] ?? 0
    if (source === undefined || calls === 0 || !wantsFiles({ settings }, source)) return []
    if (source.kind === 'recording') return []
    const { kind, download } = source
    const files = { parents: 0, files: calls, calls, estimated: true as const }
    return [{ job, kind, label: download.rate, ...files }]
  })
}

function asJson(planned: AccountPlan): object {
  const { endsAtMs, archive, failure, newFiles: _new, nowMs: _now, ...plan } = planned
  return {
    ...plan,
    ...(failure === undefined ? {} : { failure: describeError(failure) }),
    endsAt: endsAtMs === undefined ? null : new Date(endsAtMs).toISOString(),
    archive: archive === undefined ? null : deadlinesJson(archive),
  }
}

const NOTE = `
For lists that were never read, plan requests about five first pages of each
kind and reports how many calls that took. It makes no other API calls. Like
sync, it migrates the database first.`

const SAMPLING =
  'Estimating lists that were never read from their first pages. This may take minutes.'

/** A person waits for the plan, so it retries fewer times than a sync. */
const IMPATIENT = { maxTries: 2, baseMs: 500, capMs: 1_000 }
