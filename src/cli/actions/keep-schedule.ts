import type { AccountSettings } from '../../config/account-settings.ts'
import type { Job } from '../../core/declare/job.ts'
import { BusyError, CallsheetError, ConfigurationError } from '../../core/errors/errors.ts'
import { syncAccount } from '../../engine/account/sync.ts'
import { dispatch, type Work } from '../../engine/dispatch/dispatcher.ts'
import { checkSchedule } from '../../engine/dispatch/due-times.ts'
import { attemptsInLedger } from '../../engine/dispatch/ledger-attempts.ts'
import { type Ending, endingOf } from '../../engine/run/ending.ts'
import { openAccount } from '../accounts/open-account.ts'
import { type OpenWarehouse, withWarehouse } from '../accounts/wire.ts'
import { jobs } from '../catalog/catalog.ts'
import { chooseAccounts, pick } from '../catalog/choose.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { layOut } from '../frame/output.ts'
import { eraseDue } from './erase-due.ts'

export interface ScheduleOptions extends CommonOptions {
  account?: string
}

export async function keepSchedule(context: Context, options: ScheduleOptions): Promise<number> {
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, options.account)
  const entries = accounts.flatMap(({ name }) =>
    Object.entries(config.jobs)
      .filter(([, { enabled }]) => enabled)
      .map(([job, { schedule, timezone }]): Work => ({ account: name, job, schedule, timezone })),
  )
  if (entries.length === 0)
    throw new ConfigurationError('nothing_scheduled', {
      tried: 'Starting the schedule',
      expected: 'at least one job that is enabled',
      came: 'all jobs are disabled',
      todo: 'set jobs.NAME.enabled to true',
    })
  const observer = await context.observer()
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    for (const { job, ...due } of entries) checkSchedule(job, due)
    const rows = entries.map(({ account, job, schedule, timezone }) => [
      account,
      job,
      schedule,
      timezone,
    ])
    for (const text of layOut([['account', 'job', 'due', 'time zone'], ...rows]))
      context.output.note(text)
    context.output.note('Waiting for what is due, until it is stopped (Ctrl-C).')
    const run = async ({ account, job }: Work, signal: AbortSignal): Promise<Ending> => {
      const settings = pick('account', account, accounts)
      return await runJob({ context, opened, settings }, pick('job', job, jobs), signal)
    }
    const { clock } = context
    const attempts = (works: readonly (Work & { sinceMs: number })[]) =>
      attemptsInLedger(opened.warehouse, works)
    const deps = { clock, observer, attempts, run, accountsAtOnce: ACCOUNTS_AT_ONCE }
    await dispatch(deps, entries, context.signal)
    return 0
  })
}

/**
 * Everything is opened anew for each run: a schedule lives for months, and tokens, pools and quotas do not.
 */
async function runJob(
  frame: { context: Context; opened: OpenWarehouse; settings: AccountSettings },
  job: Job,
  signal: AbortSignal,
): Promise<Ending> {
  const { context, opened, settings } = frame
  const observer = await context.observer()
  await eraseOrReport(opened, { account: settings.name, signal })
  const open = await openAccount(opened, settings)
  try {
    const scope = { account: settings.name, jobs: [job], signal }
    const results = await syncAccount(open.deps, scope)
    for (const { runId, state, problems, error } of results) {
      const of = { account: settings.name, job: job.name, run: runId }
      const level = state === 'complete' ? 'info' : 'warn'
      observer.event('run ended', { ...of, state, level })
      for (const reason of problems) observer.event('run problem', { ...of, reason, level: 'warn' })
      if (state !== 'failed' || !(error instanceof Error)) continue
      const code = error instanceof CallsheetError ? error.code : 'unexpected'
      observer.event('run failed', { ...of, code, error: error.message })
    }
    const [own] = results
    return own === undefined ? { kind: 'again' } : endingOf(own, context.clock.now())
  } finally {
    await open.close()
  }
}

/**
 * An erasure that cannot be ended must not keep archives from being fetched before they expire. It is tried
 * again before the next job, and `erase --list` shows it as open until then.
 */
async function eraseOrReport(
  opened: OpenWarehouse,
  due: { account: string; signal: AbortSignal },
): Promise<void> {
  try {
    await eraseDue(opened, due)
  } catch (error) {
    if (due.signal.aborted || error instanceof BusyError) throw error
    const code = error instanceof CallsheetError ? error.code : 'unexpected'
    opened.wiring.observer.event('erasure failed', {
      account: due.account,
      code,
      error: (error as Error).message,
      level: 'error',
    })
  }
}

/** Each account uses some of the connections to the database and to the service. */
const ACCOUNTS_AT_ONCE = 8
