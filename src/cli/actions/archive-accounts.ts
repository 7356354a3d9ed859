import type { AccountSettings } from '../../config/account-settings.ts'
import { archiveAccount, type ArchiveRun } from '../../engine/archive-account.ts'
import { jobs } from '../catalog.ts'
import { chooseAccounts } from '../choose.ts'
import type { CommonOptions } from '../command.ts'
import type { Context } from '../context.ts'
import { type AccountOutcome, eachAccount } from '../each-account.ts'
import { worst } from '../exit-codes.ts'
import { openAccount } from '../open-account.ts'
import type { Step } from '../pace.ts'
import { describeError, errorLines, exitCodeOf } from '../print-error.ts'
import { fileLines, showProgress } from '../progress.ts'
import { filesText } from '../run-summary.ts'
import { type OpenWarehouse, withWarehouse } from '../wire.ts'

export interface ArchiveOptions extends CommonOptions {
  account?: string
  retry?: boolean
}

/** Archives one account after the other. */
export async function archiveAccounts(context: Context, options: ArchiveOptions): Promise<number> {
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, options.account)
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const retry = options.retry === true
    const outcomes = await eachAccount(context, accounts, (settings) =>
      archiveOne({ context, opened, retry }, settings),
    )
    context.output.result({ accounts: outcomes.map(({ json }) => json) })
    return worst(outcomes.map(({ code }) => code))
  })
}

async function archiveOne(
  { context, opened, retry }: { context: Context; opened: OpenWarehouse; retry: boolean },
  settings: AccountSettings,
): Promise<AccountOutcome> {
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
  if (state === 'to_be_continued') return 3
  return state === 'incomplete' ? 4 : exitCodeOf(error) || 1
}
