import { jobs } from '../../account/catalog.ts'
import { pick } from '../../account/choose.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { attemptsInLedger } from '../ledger/attempts.ts'
import type { DispatcherDeps } from '../queue/dispatcher.ts'
import type { Queue } from '../queue/queue.ts'
import type { Hooks } from './hooks.ts'
import { reportNotBefore, reportWaits } from './report-due.ts'
import { runJob } from './run-job.ts'
import { runReport } from './run-report.ts'
import { type DoTask, runTask } from './run-task.ts'
import type { Vitals } from './status-server.ts'

interface Dispatched {
  accounts: readonly AccountSettings[]
  vitals: Vitals
  queue: Queue
  doTask: DoTask
  hooks: Hooks
}

/** Returns the functions with which the dispatcher finds earlier attempts and runs a job, report or task. */
export function dispatcherDeps(
  opened: OpenWarehouse,
  { accounts, vitals, queue, doTask, hooks }: Dispatched,
): DispatcherDeps {
  const { clock, observer, config } = opened.wiring
  const logWait = reportWaits(observer)
  return {
    clock,
    observer,
    queue,
    accountsAtOnce: config.serve.accountsAtOnce,
    attempts: (works) => attemptsInLedger(opened.warehouse, works),
    async notBefore(work, dueMs) {
      if (work.kind !== 'report') return undefined
      const wait = await reportNotBefore(opened, work, dueMs)
      logWait(work, dueMs, wait)
      return wait?.untilMs
    },
    async run(work, { dueMs, signal }) {
      if (work.kind === 'report') return await runReport(opened, { work, dueMs, signal, hooks })
      if (work.kind === 'task') return await runTask(opened, { work, dueMs, signal }, doTask)
      const settings = pick('account', work.account, accounts)
      return await runJob(opened, { settings, job: pick('job', work.job, jobs), signal, hooks })
    },
    beat() {
      vitals.beatMs = clock.elapsed()
      vitals.awake.since()
    },
  }
}
