import type { Observer } from '../../core/define/observer.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Due } from '../../core/time/due-times.ts'
import type { ExplainedEnding } from '../../core/time/ending.ts'
import type { Attempt } from '../../core/time/next-start.ts'
import type { Queue } from './queue.ts'

/** A job, report or task of an account, with its schedule. */
export interface Work extends Due {
  account: string
  job: string
  /**
   * Undefined for a job, which reads from the service. A report or a task yields to due jobs that wait for a
   * slot. A task needs no lease of the account, so it runs in parallel with the account's other work.
   */
  kind?: 'report' | 'task'
  /** Jobs of this account that list this job's parents. The job waits while one of them is due. */
  after?: readonly string[]
}

export interface DispatcherDeps {
  clock: Clock
  observer: Observer
  queue: Queue
  /** Returns a list for each of `works`, in their order: its attempts since `sinceMs`, oldest first. */
  attempts(works: readonly (Work & { sinceMs: number })[]): Promise<readonly Attempt[][]>
  /**
   * Returns when to check again whether due work may begin, in epoch milliseconds; undefined if it may begin
   * now.
   */
  notBefore?(work: Work, dueMs: number): Promise<number | undefined>
  /** Runs the work once. Rejects with BusyError if another process has the account's lease. */
  run(work: Work, due: { dueMs: number; signal: AbortSignal }): Promise<ExplainedEnding>
  accountsAtOnce: number
  /** Called whenever the dispatcher looks for due work, at least every `LOOK_MS`. */
  beat?(): void
}

/** Returns the key of the queue's message. Work with the same key never runs in parallel, on any machine. */
export function queuePlace({ account, job, kind }: Work): string {
  return JSON.stringify(kind === 'task' ? [account, job] : [account])
}
