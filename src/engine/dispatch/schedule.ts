import { createTask, type ScheduledTask } from 'node-cron'
import type { Observer } from '../../core/declare/observer.ts'
import { BusyError, CallsheetError } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { accountQueues } from './account-queues.ts'
import { checkSchedule, type Due, lastDue } from './due-times.ts'

export interface Entry extends Due {
  account: string
  job: string
}

export interface ScheduleDependencies {
  clock: Clock
  observer: Observer
  /** When the job last began for the account, in epoch milliseconds. */
  lastStarted(entry: Entry): Promise<number | undefined>
  run(entry: Entry, signal: AbortSignal): Promise<void>
}

/**
 * Runs every entry when it is due, until the signal comes; then lets what runs end at its clean point. An
 * entry whose last run is older than its last due time is run at the start: the machine was off, or this is
 * the first day.
 */
export async function runSchedule(
  dependencies: ScheduleDependencies,
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<void> {
  for (const entry of entries) checkSchedule(entry.job, entry)
  const queues = accountQueues()
  const start = (entry: Entry): Promise<void> =>
    signal.aborted
      ? Promise.resolve()
      : queues.enqueue(entry.account, entry.job, () => runOne(dependencies, entry, signal))
  const tasks = entries.map((entry) => plan(entry, () => start(entry)))
  for (const task of tasks) void task.start()
  try {
    for (const entry of entries)
      if (await isOverdue(dependencies, entry)) {
        dependencies.observer.event('schedule catches up', {
          account: entry.account,
          job: entry.job,
        })
        void start(entry)
      }
    await aborted(signal)
  } finally {
    for (const task of tasks) void task.destroy()
    await queues.idle()
  }
}

function plan(entry: Entry, start: () => Promise<void>): ScheduledTask {
  const { schedule, timezone } = entry
  const task = createTask(schedule, start, {
    timezone,
    noOverlap: true,
    suppressMissedWarning: true,
  })
  // The machine slept over the due time, or the process was too busy to notice it.
  task.on('execution:missed', () => void start())
  return task
}

async function runOne(
  { run, observer, clock }: ScheduleDependencies,
  entry: Entry,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const { account, job } = entry
  const startedMs = clock.elapsed()
  observer.event('job started', { account, job })
  try {
    await run(entry, signal)
    observer.event('job ended', {
      account,
      job,
      duration_ms: Math.round(clock.elapsed() - startedMs),
    })
  } catch (error) {
    // One job's failure must not end the schedule: it is said, and the next due time tries again.
    const name = error instanceof BusyError ? 'job skipped, account busy' : 'job failed'
    const code = error instanceof CallsheetError ? error.code : 'unexpected'
    observer.event(name, { account, job, code, error: (error as Error).message })
  }
}

async function isOverdue(
  { lastStarted, clock }: ScheduleDependencies,
  entry: Entry,
): Promise<boolean> {
  const due = lastDue(entry, clock.now())
  if (due === undefined) return false
  const started = await lastStarted(entry)
  return started === undefined || started < due
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
