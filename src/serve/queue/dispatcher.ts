import type { Observer } from '../../core/define/observer.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Due } from '../../core/time/due-times.ts'
import type { Ending } from '../../core/time/ending.ts'
import type { Attempt } from '../../core/time/next-start.ts'
import type { Queue } from './queue.ts'

/** A job of an account, with its schedule. */
export interface Work extends Due {
  account: string
  job: string
  /** It starts only while no other work that is due waits for a place. */
  yields?: true
  /** It goes on beside the other work of its account, because it does not need the account's lease. */
  beside?: true
  /** Jobs of the same account that read its streams' parents: while one of them is due, it goes first. */
  after?: readonly string[]
}

export interface DispatcherDeps {
  clock: Clock
  observer: Observer
  queue: Queue
  /** The attempts that began at or after an instant, oldest first, for each work in its place. */
  attempts(works: readonly (Work & { sinceMs: number })[]): Promise<readonly Attempt[][]>
  /** When to look again whether due work may begin, in epoch milliseconds; undefined if it may now. */
  notBefore?(work: Work, dueMs: number): Promise<number | undefined>
  /** Does the work once. Rejects with BusyError if another process holds the account. */
  run(work: Work, due: { dueMs: number; signal: AbortSignal }): Promise<Ending>
  /** How many accounts may be worked on at the same time. */
  accountsAtOnce: number
  /** Called whenever it looks for due work, at least every 15 seconds. */
  beat?(): void
}

/** What no two works have at the same time. */
export function queuePlace({ account, job, beside }: Work): string {
  return JSON.stringify(beside === true ? [account, job] : [account])
}
