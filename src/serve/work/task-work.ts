import type { OpenWarehouse } from '../../account/wire.ts'
import { dueOf } from '../../config/account-jobs.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Config } from '../../config/schema.ts'
import { taskSettings } from '../../config/serve-settings.ts'
import type { Ending } from '../../core/time/ending.ts'
import type { Work } from '../queue/dispatcher.ts'
import { monthBefore } from './report-span.ts'
import { type Attempted, runTask } from './run-task.ts'

export type TaskName = keyof Config['tasks']

/** The tasks that are due by the configuration, for each account. */
export function taskWorks(
  config: Config,
  accounts: readonly Pick<AccountSettings, 'name'>[],
): Work[] {
  const due = Object.entries(dueOf(config.tasks, config.timezone))
  return accounts.flatMap(({ name }, at) =>
    due
      .filter(([job]) => job !== LEDGER_PRUNE || (at === 0 && keepsForATime(config)))
      .map(([job, when]) => ({
        account: name,
        job,
        ...when,
        beside: true as const,
        yields: true as const,
      })),
  )
}

/** The ledgers are those of the whole database, so that one account stands for all. */
const LEDGER_PRUNE = 'ledger-prune' satisfies TaskName

function keepsForATime({ ledger }: Config): boolean {
  return ledger.keepMonths !== null
}

export function isTask({ job }: Pick<Work, 'job'>): boolean {
  return TASKS.has(job)
}

const TASKS: ReadonlySet<string> = new Set(Object.keys(taskSettings.shape))

/** A task as its command does it. */
export interface TaskToDo {
  task: TaskName
  account: string
  /** The month that an export covers. */
  days: ReturnType<typeof monthBefore>
  signal: AbortSignal
}

/** What the command came to: its exit code, and its document of `--json`. */
export interface TaskDone {
  code: number
  result: unknown
}

export type DoTask = (todo: TaskToDo) => Promise<TaskDone>

/**
 * Does a due task once. What fails is tried again. If it ends and has something to report, such as a finding
 * of `verify`, a person has to look, and it waits until it is due again.
 */
export async function runDueTask(
  { warehouse, wiring }: OpenWarehouse,
  { work: { account, job }, dueMs, signal }: { work: Work; dueMs: number; signal: AbortSignal },
  doTask: DoTask,
): Promise<Ending> {
  const { clock, config } = wiring
  const days = monthBefore(dueMs, config.timezone)
  const due = { account, task: job, dueMs }
  return await runTask({ warehouse, clock }, due, async (): Promise<Attempted> => {
    const { code, result } = await doTask({ task: job as TaskName, account, days, signal })
    const ending = { kind: endOf(code, { result, isStopped: signal.aborted }) }
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
