import type { OpenWarehouse } from '../../account/wire.ts'
import type { Config } from '../../config/schema.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Ending, ExplainedEnding } from '../../core/time/ending.ts'
import { monthBefore } from '../../core/time/zone.ts'
import { endingOfError } from '../../sync/ending.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { beginTask, type DueTask, endTask, type TaskEnd } from '../ledger/task-runs.ts'
import type { Work } from '../queue/dispatcher.ts'

export type TaskName = keyof Config['tasks']

/** A due task, for the command that does it. */
export interface TaskToDo {
  task: TaskName
  account: string
  /** The month that an export covers. */
  days: ReturnType<typeof monthBefore>
  signal: AbortSignal
}

/** The command's exit code and its `--json` document. */
export interface TaskDone {
  code: number
  result: unknown
}

export type DoTask = (todo: TaskToDo) => Promise<TaskDone>

/**
 * Runs a due task once. A failed task is tried again. A task that ended with findings, as `verify` may, needs
 * a person, and runs again when it is next due.
 */
export async function runTask(
  { warehouse, wiring }: OpenWarehouse,
  { work: { account, job }, dueMs, signal }: { work: Work; dueMs: number; signal: AbortSignal },
  doTask: DoTask,
): Promise<ExplainedEnding> {
  const { clock, config } = wiring
  const days = monthBefore(dueMs, config.timezone)
  const due = { account, task: job, dueMs }
  return await recordAttempt({ warehouse, clock }, due, async (): Promise<Attempted> => {
    const { code, result } = await doTask({ task: job as TaskName, account, days, signal })
    const ending = { kind: endOf(code, { result, isStopped: signal.aborted }) }
    const error = code === 0 || signal.aborted ? undefined : `the command exited with ${code}`
    return { state: STATES[ending.kind], ending, detail: { exitCode: code }, error }
  })
}

type Kind = 'done' | 'again' | 'person' | 'interrupted'

const STATES = {
  done: 'complete',
  again: 'failed',
  person: 'incomplete',
  interrupted: 'interrupted',
} as const satisfies Record<Kind, string>

/**
 * Returns how a task ended. A command may put an account's error into its result, and its exit code alone
 * does not show whether there was an error.
 */
export function endOf(
  code: number,
  { result, isStopped }: { result: unknown; isStopped: boolean },
): Kind {
  if (isStopped) return 'interrupted'
  if (code === 0) return 'done'
  const { accounts, bundles = accounts } = (result ?? {}) as Partial<Record<string, object[]>>
  return bundles?.some((one) => 'error' in one) === false ? 'person' : 'again'
}

/** The end of an attempt that did not throw. */
export interface Attempted extends TaskEnd {
  ending: Ending
}

/** Attempts a due task or report and records its end. If the attempt throws, `detail` is recorded. */
export async function recordAttempt(
  { warehouse, clock }: { warehouse: Warehouse; clock: Clock },
  due: DueTask & { detail?: object },
  attempt: () => Promise<Attempted>,
): Promise<ExplainedEnding> {
  const id = await beginTask(warehouse, due)
  const end = await attempt().catch((error: unknown): Attempted => {
    const ending = endingOfError(error, clock.now())
    const text = error instanceof CallsheetError ? error.message : (error as Error).name
    return { state: 'failed', ending, detail: due.detail ?? {}, error: text }
  })
  await endTask(warehouse, { account: due.account, id }, end)
  return { ...end.ending, reason: end.error }
}
