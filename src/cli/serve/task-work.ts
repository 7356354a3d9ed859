import type { AccountSettings } from '../../config/account-settings.ts'
import type { Config } from '../../config/schema.ts'
import type { Work } from '../../engine/dispatch/dispatcher.ts'
import type { Ending } from '../../engine/run/ending.ts'
import { monthBefore } from '../../engine/scheduled/report-span.ts'
import { type Attempted, runTask } from '../../engine/scheduled/run-task.ts'
import type { OpenWarehouse } from '../accounts/wire.ts'
import type { Context } from '../frame/context.ts'
import type { Output } from '../frame/output.ts'

type TaskName = keyof Config['tasks']

/** The tasks that are due by the configuration, for each account. */
export function taskWorks(
  config: Config,
  accounts: readonly Pick<AccountSettings, 'name'>[],
): Work[] {
  const enabled = Object.entries(config.tasks).filter(([, { enabled: is }]) => is)
  return accounts.flatMap(({ name }, at) =>
    enabled
      .filter(([job]) => job !== LEDGER_PRUNE || (at === 0 && keepsForATime(config)))
      .map(([job, { schedule, timezone }]) => ({
        account: name,
        job,
        schedule,
        timezone,
        beside: true as const,
        yields: true as const,
      })),
  )
}

/** The ledgers are those of the whole database, so that one account stands for all. */
const LEDGER_PRUNE = 'ledger-prune' satisfies TaskName

function keepsForATime({ ledger }: Config): boolean {
  return ledger.keepMonths !== null || ledger.notificationMonths !== null
}

export function isTask({ job }: Pick<Work, 'job'>): boolean {
  return job in COMMANDS
}

/**
 * Does a due task once, as its command does. What it says is logged. What fails is tried again. If it ends
 * and has something to report, such as a finding of `verify`, a person has to look, and it waits until it is
 * due again.
 */
export async function runDueTask(
  context: Context,
  { warehouse, wiring }: OpenWarehouse,
  { work: { account, job }, dueMs }: { work: Work; dueMs: number },
): Promise<Ending> {
  const { clock, config, observer } = wiring
  let result: unknown
  const quiet: Output = {
    terminal: false,
    line: () => {},
    table: () => {},
    result: (value) => {
      result = value
    },
    note: (reason) => observer.event('note', { account, job, reason }),
  }
  const days = monthBefore(dueMs, config.reports.timezone)
  const due = { account, task: job, dueMs }
  return await runTask({ warehouse, clock }, due, async (): Promise<Attempted> => {
    const code = await COMMANDS[job as TaskName]({ ...context, output: quiet }, account, days)
    const ending = { kind: endOf(code, { result, isStopped: context.signal.aborted }) }
    return { state: STATES[ending.kind], ending, detail: { exitCode: code }, error: undefined }
  })
}

type Kind = 'done' | 'again' | 'person' | 'interrupted'

const STATES = {
  done: 'complete',
  again: 'failed',
  person: 'incomplete',
  interrupted: 'interrupted',
} as const satisfies Record<Kind, string>

/** A command catches the error of an account, and puts it into its result. */
export function endOf(
  code: number,
  { result, isStopped }: { result: unknown; isStopped: boolean },
): Kind {
  if (isStopped) return 'interrupted'
  if (code === 0) return 'done'
  const { accounts, bundles = accounts } = (result ?? {}) as Partial<Record<string, object[]>>
  return bundles?.some((one) => 'error' in one) === false ? 'person' : 'again'
}

type Days = ReturnType<typeof monthBefore>

const COMMANDS: Readonly<
  Record<TaskName, (context: Context, account: string, days: Days) => Promise<number>>
> = {
  verify: async (context, account) => {
    const { verifyAccounts } = await import('../archive/verify-accounts.ts')
    return await verifyAccounts(context, { account })
  },
  'archive-prune': async (context, account) => {
    const { pruneArchives } = await import('../archive/prune-archive.ts')
    return await pruneArchives(context, { account, yes: true })
  },
  'audit-export': async (context, account, days) => {
    const { exportAudits } = await import('../archive/export-audit.ts')
    return await exportAudits(context, { account, ...days })
  },
  [LEDGER_PRUNE]: async (context) => {
    const { pruneLedgers } = await import('../actions/prune-ledgers.ts')
    return await pruneLedgers(context, { yes: true })
  },
}
