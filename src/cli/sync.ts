import type { Command } from 'commander'
import { chooseAccounts } from '../account/choose.ts'
import type { OpenAccount } from '../account/open-account.ts'
import type { OpenWarehouse } from '../account/wire.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { accountToName } from '../config/databases.ts'
import type { Observer } from '../core/define/observer.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { Hooks } from '../serve/work/hooks.ts'
import { accountOfRun } from './frame/account-of-run.ts'
import { type CommonOptions, defineCommand, type Runner, wholeNumber } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { type AccountOutcome, eachAccount } from './frame/each-account.ts'
import { exitCodeOfRuns, worst } from './frame/exit-codes.ts'
import { type ChosenJobs, chooseWork, type WorkOptions, withPart } from './frame/part-options.ts'
import { linesOf, showProgress } from './frame/progress.ts'
import type { ShownProgress, Step } from './frame/progress-lines.ts'
import { printRuns, runsAsJson } from './frame/run-summary.ts'
import { withHooks } from './frame/with-hooks.ts'

interface SyncCommandOptions extends CommonOptions, WorkOptions {
  account?: string
  approve?: number
}

export function syncCommand(run: Runner): Command {
  const command = defineCommand('sync', 'Sync due data from the service into the database', [
    'sync',
    'sync users phone-numbers --account main',
    'sync recordings --full',
    'sync session-reports --from 2026-06-01 --to 2026-06-03',
    'sync users --approve 42',
  ])
  return withPart(command)
    .argument('[jobs...]', 'jobs to run (default: all scheduled jobs)')
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .option('--full', 'read all data within the history limits, not only due slices')
    .option('--approve <run>', 'approve the deletions that run RUN held back', wholeNumber)
    .addHelpText('after', AFTER)
    .action((jobs: string[], options: SyncCommandOptions) =>
      run(options, (context) => syncAccounts(context, jobs, options), {
        databases: options.approve === undefined ? 'each' : 'one',
      }),
    )
}

/** Syncs each account in turn; a failed account does not stop the others. */
export async function syncAccounts(
  context: Context,
  names: readonly string[],
  options: SyncCommandOptions,
): Promise<number> {
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, options.account)
  const nowMs = context.clock.now()
  const chosen = new Map<string, ChosenJobs>()
  for (const account of accounts)
    chosen.set(account.name, await chooseWork(names, options, { config, account, nowMs }))
  // Moving lines and a log would overwrite each other.
  await context.observer(context.output.terminal)
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    if (options.approve !== undefined) await approve(opened, accounts, options.approve)
    return await withHooks(context, opened, async (hooks) => {
      const outcomes = await eachAccount(context, accounts, (settings) =>
        syncOne({ context, opened, hooks }, settings, chosen.get(settings.name)!),
      )
      context.output.result({ accounts: outcomes.map(({ json }) => json) })
      return worst(outcomes.map(({ code }) => code))
    })
  })
}

interface Frame {
  context: Context
  opened: OpenWarehouse
  hooks: Hooks
}

async function syncOne(
  { context, opened, hooks }: Frame,
  settings: AccountSettings,
  { jobs, full }: ChosenJobs,
): Promise<AccountOutcome> {
  const { openAccount } = await import('../account/open-account.ts')
  const { syncAccount } = await import('../sync/sync.ts')
  const { watchStart } = await import('../sync/watch-start.ts')
  const account = settings.name
  const named = accountToName(opened.wiring.config, account)
  const lines = linesOf(opened.wiring.config, jobs)
  const progress = await showProgress(context, `Syncing account ${account}`, lines)
  const { warehouse, wiring } = opened
  const start = await watchStart({ ...wiring, warehouse }, { account, jobs })
  let open: OpenAccount | undefined
  try {
    open = await openAccount(telling(opened, progress), settings)
    const { signal } = context
    const onProgress = (step: Step): void => progress.step(step)
    const results = await syncAccount(open.deps, { account, jobs, full, signal, onProgress })
    hooks.afterRuns(account, results)
    await progress.end()
    const ended = { results, labels: open.governor.stats(), named }
    printRuns(context.output, account, ended)
    return { code: exitCodeOfRuns(results), json: runsAsJson(account, ended) }
  } catch (error) {
    await progress.end()
    if (!context.signal.aborted) await start.failed(error)
    throw error
  } finally {
    await open?.close()
  }
}

/** Makes the progress explain why nothing moves while a call is retried. */
function telling(opened: OpenWarehouse, progress: ShownProgress): OpenWarehouse {
  const { observer } = opened.wiring
  const event: Observer['event'] = (name, fields) => {
    observer.event(name, fields)
    const remark = retryRemark(name, fields)
    if (remark !== undefined) progress.remark(remark)
  }
  return { ...opened, wiring: { ...opened.wiring, observer: { event } } }
}

async function approve(
  { warehouse, wiring }: OpenWarehouse,
  accounts: readonly AccountSettings[],
  run: number,
): Promise<void> {
  const { statesRelease } = await import('../account/state-decisions.ts')
  const { accountsHolding, approveDeletions } = await import('../sync/ledger/deletion-guard.ts')
  const holding = await accountsHolding(warehouse, run)
  const own = holding.filter((one) => accounts.some(({ name }) => name === one))
  const account = accountOfRun(own, { run, command: `sync --approve ${run}` })
  if (account !== undefined) {
    const onDecided = statesRelease(wiring, { account, run })
    const streams = await approveDeletions(warehouse, { account, runId: run, onDecided })
    if (streams.length > 0) return
  }
  throw new ConfigurationError('nothing_to_approve', {
    tried: `Approving the deletions that run ${run} held back`,
    expected: 'a run that tripped the deletion guard and is not approved yet',
    came: 'this run has no deletions that wait for approval',
    todo: 'run callsheet status to see the number of the run',
  })
}

/** Explains why nothing moves while a call is retried; undefined for every other event. */
export function retryRemark(...[name, fields]: Parameters<Observer['event']>): string | undefined {
  if (name !== 'api.failed' || fields.again !== true) return undefined
  const { operation, code, reason = code, tries, limit, until } = fields
  const failed = `${operation}: ${reason}.`
  if (limit === undefined) return `${failed} Tries again when the rate limit allows.`
  const at = `${String(until).slice(11, 19)} UTC`
  return `${failed} Try ${Number(tries) + 1} of ${limit} is at ${at}. Ctrl-C stops; nothing is lost.`
}

const AFTER = `
"new", "changed" and "unchanged" count the records that this run read. Nested
records are compared, and counted, only if their parent is new or changed.
"present" counts all rows of the table.

Exit codes: 0 complete, 1 failed, 2 wrong usage or configuration, 3 paused until
the daily quota renews (the next run resumes), 4 some slices are incomplete, the
deletion guard waits for approval, or the account lacks permission for a job, 5
another process is syncing the account, 130 or 143 stopped by a signal.`
