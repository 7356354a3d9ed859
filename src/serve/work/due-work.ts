import { jobs } from '../../account/catalog.ts'
import { pick } from '../../account/choose.ts'
import type { OpenWarehouse } from '../../account/wire.ts'
import type { Ending } from '../../core/time/ending.ts'
import type { DispatcherDeps, Work } from '../queue/dispatcher.ts'
import { attemptsInLedger, taskAttemptsInLedger } from '../queue/ledger-attempts.ts'
import type { Queue } from '../queue/queue.ts'
import type { Parts } from './parts.ts'
import { isReport, reportNotBefore, reportWaits, runReport } from './report-work.ts'
import { runDueJob } from './run-due-job.ts'
import type { Service, ServiceDeps } from './run-service.ts'
import { isTask, runDueTask } from './task-work.ts'

/** How jobs, reports and tasks are looked up and done. */
export function dispatcherDeps(
  deps: ServiceDeps,
  { opened, parts, vitals }: Service,
  queue: Queue,
): DispatcherDeps {
  const { clock, observer, config } = deps
  const noteWait = reportWaits(observer)
  return {
    clock,
    observer,
    queue,
    accountsAtOnce: config.serve.accountsAtOnce,
    attempts: (works: readonly Asked[]) => readAttempts(opened, works),
    async notBefore(work: Work, dueMs: number) {
      if (!isReport(work)) return undefined
      const wait = await reportNotBefore(opened, work, dueMs)
      noteWait(work, dueMs, wait)
      return wait?.untilMs
    },
    run: async (work: Work, due: Omit<StartedWork, 'work'>) =>
      await runWork(deps, { opened, parts }, { ...due, work }),
    beat: () => {
      vitals.beatMs = clock.elapsed()
      vitals.awake.since()
    },
  }
}

interface StartedWork {
  work: Work
  dueMs: number
  signal: AbortSignal
}

/** Each kind of work has its own way. */
async function runWork(
  { doTask }: ServiceDeps,
  { opened, parts }: { opened: OpenWarehouse; parts: Parts },
  { work, dueMs, signal }: StartedWork,
): Promise<Ending> {
  if (isReport(work)) return await runReport(opened, work, dueMs)
  if (isTask(work)) return await runDueTask(opened, { work, dueMs, signal }, doTask)
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
