import { jobsOf } from '../../config/account-jobs.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Config } from '../../config/schema.ts'
import type { Cause } from '../../core/declare/cause.ts'
import { ConfigurationError } from '../../core/errors/errors.ts'
import { dispatch, type Work } from '../../engine/dispatch/dispatcher.ts'
import { checkSchedule } from '../../engine/dispatch/due-times.ts'
import { attemptsInLedger, taskAttemptsInLedger } from '../../engine/dispatch/ledger-attempts.ts'
import type { Ending } from '../../engine/run/ending.ts'
import type { Listening } from '../../server/listen.ts'
import { readHealth } from '../accounts/account-health.ts'
import { hasNotificationSecrets } from '../accounts/has-notification-secrets.ts'
import { installationHealth } from '../accounts/installation-health.ts'
import type { OpenWarehouse, Wiring } from '../accounts/wire.ts'
import { jobs } from '../catalog/catalog.ts'
import { chooseAccounts, pick } from '../catalog/choose.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { layOut } from '../frame/output.ts'
import { untilStopped } from '../frame/signals.ts'
import { addressesOf, openReceiver } from './open-receiver.ts'
import { openStatusServer, type Vitals } from './open-status-server.ts'
import { openWhenThere } from './open-when-there.ts'
import type { Opened } from './read-snapshot.ts'
import { isReport, reportNotBefore, reportWorks, runReport } from './report-work.ts'
import { runDueJob } from './run-due-job.ts'
import { startDelay } from './start-delay.ts'
import { isTask, runDueTask, taskWorks } from './task-work.ts'
import { watchHealth } from './watch-health.ts'

export interface ServeOptions extends CommonOptions {
  account?: string
  only?: 'schedule' | 'notifications'
}

/** What one process is to do. */
interface Parts {
  accounts: readonly AccountSettings[]
  works: readonly Work[]
  /** The accounts whose notifications it receives. */
  told: readonly AccountSettings[]
}

/**
 * Runs until it is stopped: each job when it is due, the receiver of notifications, and the address that
 * tells whether it is alive and ready. It listens there from the start, and waits for the database.
 */
export async function serve(context: Context, options: ServeOptions): Promise<number> {
  const { config } = await context.loadConfig()
  const parts = partsOf(config, options)
  const observer = await context.observer()
  const wiring: Wiring = { config, clock: context.clock, observer }
  const vitals: Vitals = { warehouse: undefined, started: false, beatMs: context.clock.elapsed() }
  const status = await openStatusServer(wiring, {
    vitals,
    accounts: parts.accounts,
    readCauses,
  })
  try {
    observer.event('serving', { url: status.url })
    const opened = await openWhenThere(wiring, true, context.signal)
    vitals.warehouse = opened.warehouse
    try {
      await keep(context, { opened, parts, vitals })
    } finally {
      await opened.close()
    }
  } finally {
    await status.close()
  }
  return 0
}

/** What is wrong with the installation is wrong for each account. */
async function readCauses(opened: Opened, settings: AccountSettings): Promise<Cause[]> {
  return [...(await installationHealth(opened.wiring)), ...(await readHealth(opened, settings))]
}

function partsOf(config: Config, { account, only }: ServeOptions): Parts {
  const accounts = chooseAccounts(config, account)
  const works = only === 'notifications' ? [] : accounts.flatMap((one) => jobWorks(config, one))
  if (only !== 'notifications')
    works.push(...reportWorks(config, accounts), ...taskWorks(config, accounts))
  for (const { job, ...due } of works) checkSchedule(job, due)
  const told = only === 'schedule' ? [] : accounts.filter(hasNotificationSecrets)
  if (works.length > 0 || told.length > 0) return { accounts, works, told }
  throw new ConfigurationError('nothing_to_serve', {
    tried: 'Starting the service',
    expected: 'a job that is enabled, or an account with notificationSecrets',
    came: only === 'notifications' ? 'no account has notificationSecrets' : 'all jobs are disabled',
    todo: 'set jobs.NAME.enabled to true, or accounts[].notificationSecrets to what the app page shows',
  })
}

function jobWorks(config: Config, account: AccountSettings): Work[] {
  return Object.entries(jobsOf(config, account))
    .filter(([, { enabled }]) => enabled)
    .map(([job, { schedule, timezone }]) => ({
      account: account.name,
      job,
      schedule,
      timezone,
      delayMs: startDelay(account.name, config),
    }))
}

async function keep(
  context: Context,
  { opened, parts, vitals }: { opened: OpenWarehouse; parts: Parts; vitals: Vitals },
): Promise<void> {
  const { observer } = opened.wiring
  const { works, told } = parts
  const receiver = told.length === 0 ? undefined : await openReceiver(opened, told)
  try {
    showParts(context, { parts, receiver, config: opened.wiring.config })
    vitals.started = true
    observer.event('service started', { count: works.length })
    await Promise.all([
      keepSchedule(context, { opened, parts, vitals }),
      watching(context, opened, parts),
      untilStopped(context.signal),
    ])
  } finally {
    vitals.started = false
    await receiver?.close()
  }
}

/** A process that only receives notifications may not read what health is judged by. */
async function watching(
  { signal }: Context,
  opened: OpenWarehouse,
  { accounts, works }: Parts,
): Promise<void> {
  const synced = works.filter((work) => !isReport(work) && !isTask(work))
  if (synced.length > 0) await watchHealth(opened, { accounts, works: synced }, signal)
}

async function keepSchedule(
  context: Context,
  { opened, parts, vitals }: { opened: OpenWarehouse; parts: Parts; vitals: Vitals },
): Promise<void> {
  const { clock, signal } = context
  const { observer, config } = opened.wiring
  const deps = {
    clock,
    observer,
    accountsAtOnce: config.serve.accountsAtOnce,
    attempts: (works: readonly Asked[]) => readAttempts(opened, works),
    notBefore: async (work: Work, dueMs: number) =>
      isReport(work) ? await reportNotBefore(opened, work, dueMs) : undefined,
    run: async (work: Work, due: Omit<StartedWork, 'work'>) =>
      await runWork(context, { opened, parts }, { ...due, work }),
    beat: () => {
      vitals.beatMs = clock.elapsed()
    },
  }
  await dispatch(deps, parts.works, signal)
}

interface StartedWork {
  work: Work
  dueMs: number
  signal: AbortSignal
}

/** Each kind of work has its own way. */
async function runWork(
  context: Context,
  { opened, parts }: { opened: OpenWarehouse; parts: Parts },
  { work, dueMs, signal }: StartedWork,
): Promise<Ending> {
  if (isReport(work)) return await runReport(opened, work, dueMs)
  if (isTask(work)) return await runDueTask(context, opened, { work, dueMs })
  const settings = pick('account', work.account, parts.accounts)
  return await runDueJob(opened, { settings, job: pick('job', work.job, jobs), signal })
}

type Asked = Work & { sinceMs: number }

function hasTaskRuns(work: Work): boolean {
  return isReport(work) || isTask(work)
}

/** Jobs have a ledger of their own, reports and tasks another. */
async function readAttempts({ warehouse }: OpenWarehouse, works: readonly Asked[]) {
  const made = await taskAttemptsInLedger(warehouse, works.filter(hasTaskRuns))
  const ran = await attemptsInLedger(
    warehouse,
    works.filter((work) => !hasTaskRuns(work)),
  )
  return works.map((work) => (hasTaskRuns(work) ? made.shift() : ran.shift()) ?? [])
}

/** A terminal shows what is kept; a log has one line of it. */
function showParts(
  { output }: Context,
  { parts, receiver, config }: { parts: Parts; receiver: Listening | undefined; config: Config },
): void {
  if (!output.terminal) return
  const due = parts.works.map(({ account, job, schedule, timezone }) => [
    account,
    job,
    schedule,
    timezone,
  ])
  if (due.length > 0)
    for (const text of layOut([['account', 'job', 'due', 'time zone'], ...due])) output.note(text)
  if (receiver !== undefined)
    for (const { account, url } of addressesOf(receiver, config, parts.told))
      output.note(`Notifications of ${account}: ${url}`)
  output.note('Running until it is stopped (Ctrl-C).')
}
