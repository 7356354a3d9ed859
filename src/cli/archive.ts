import type { Command } from 'commander'
import type { OpenWarehouse } from '../account/wire.ts'
import type { ArchiveRun } from '../archive/archive-account.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { archiveHoldCommand } from './archive-hold.ts'
import { archivePruneCommand } from './archive-prune.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { type AccountOutcome, withAccounts } from './frame/each-account.ts'
import { describeError, errorLines, exitCodeOf } from './frame/print-error.ts'
import { fileLines, showProgress } from './frame/progress.ts'
import type { Step } from './frame/progress-lines.ts'
import { filesText } from './frame/run-summary.ts'

interface ArchiveCommandOptions extends CommonOptions {
  account?: string
  retry?: boolean
}

export function archiveCommand(run: Runner): Command {
  return defineCommand('archive', 'Download pending archive files and apply retention rules', [
    'archive',
    'archive --account main',
    'archive prune --dry-run',
    'archive hold list',
  ])
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .option('--retry', 'retry files that the service did not have')
    .addHelpText('after', EXIT_CODES)
    .enablePositionalOptions()
    .addCommand(archivePruneCommand(run))
    .addCommand(archiveHoldCommand(run))
    .action((options: ArchiveCommandOptions) =>
      run(options, (context) => archiveAccounts(context, options), { databases: 'each' }),
    )
}

async function archiveAccounts(context: Context, options: ArchiveCommandOptions): Promise<number> {
  const { account, retry = false } = options
  return await withAccounts(context, { account, migrate: true }, (opened, settings) =>
    archiveOne({ context, opened, retry }, settings),
  )
}

async function archiveOne(
  { context, opened, retry }: { context: Context; opened: OpenWarehouse; retry: boolean },
  settings: AccountSettings,
): Promise<AccountOutcome> {
  const { jobs } = await import('../account/catalog.ts')
  const { openAccount } = await import('../account/open-account.ts')
  const { archiveAccount } = await import('../archive/archive-account.ts')
  const account = settings.name
  const { output, signal } = context
  const open = await openAccount(opened, settings)
  try {
    const sources = jobs.flatMap(({ archive }) => archive ?? [])
    const options = { account, sources, retry, signal }
    const run = await withProgress({ context, opened }, account, (onProgress) =>
      archiveAccount(open.deps, { ...options, onProgress }),
    )
    output.line(`Account ${account}, run ${run.runId}: ${filesText(run.files)}`)
    for (const problem of run.problems) output.note(problem)
    const { error, ...rest } = run
    if (error === undefined) return { code: codeOf(run), json: { account, ...rest } }
    for (const line of errorLines(error, context.verbose)) output.note(line)
    return { code: codeOf(run), json: { account, ...rest, error: describeError(error) } }
  } finally {
    await open.close()
  }
}

async function withProgress<T>(
  { context, opened }: { context: Context; opened: OpenWarehouse },
  account: string,
  work: (onProgress: (step: Step) => void) => Promise<T>,
): Promise<T> {
  const { jobs } = await import('../account/catalog.ts')
  const lines = fileLines(opened.wiring.config, jobs)
  const progress = await showProgress(context, `Archiving account ${account}`, lines)
  try {
    return await work((step) => progress.step(step))
  } finally {
    await progress.end()
  }
}

function codeOf({ state, error }: ArchiveRun): number {
  if (state === 'complete') return 0
  if (state === 'paused') return 3
  return state === 'incomplete' ? 4 : exitCodeOf(error) || 1
}

const EXIT_CODES = `
Exit codes: 0 complete, 1 failed, 2 wrong usage or configuration, 3 paused until
the daily quota renews, 4 some files are lost, refused or still pending, 5
another process is using the account, 130 or 143 stopped by a signal.`
