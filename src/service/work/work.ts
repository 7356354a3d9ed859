import { ConfigurationError } from '../../core/errors.ts'
import { untilStopped } from '../../core/time/until-stopped.ts'
import { dispatchByQueue } from '../queue/dispatch-by-queue.ts'
import { openQueue, type Queue } from '../queue/queue.ts'
import { dispatcherDeps } from './due-work.ts'
import { joinMachines } from './join-machines.ts'
import { partsOf, syncedWorks } from './parts.ts'
import { runService, type Service, type ServiceDeps } from './run-service.ts'
import { HEALTH_SECONDS, judgeHealth } from './watch-health.ts'

/**
 * Runs until it is stopped, beside any number of such processes: does the jobs, reports and tasks that are
 * due, one at a time for an account on all machines together. One of the machines judges the health of all.
 */
export async function work(deps: ServiceDeps): Promise<number> {
  const { config } = deps
  if (config.database.url === null)
    throw new ConfigurationError('database_not_shared', {
      tried: 'Joining the machines that share the work',
      expected: 'database.url, a Postgres that all machines reach',
      came: 'an embedded one, which this machine has alone',
      todo: 'set database.url, or run callsheet serve on this machine',
    })
  const parts = partsOf(config, { only: 'schedule' })
  return await runService(deps, parts, (service) => share(deps, service))
}

async function share(deps: ServiceDeps, service: Service): Promise<void> {
  const { signal } = deps
  const { opened, parts, vitals } = service
  const { observer, config } = opened.wiring
  const { keepJoined } = await joinMachines(opened, signal)
  const warehouse = opened.warehouse.withPatience(PATIENCE_MS)
  let queue: Queue | undefined
  try {
    queue = await openQueue({ warehouse, observer }, config.work)
    const dispatch = dispatchByQueue(queue, config.work.lookSeconds)
    vitals.started = true
    observer.event('work started', { count: parts.works.length })
    // Which of the works it does is settled as they become due.
    deps.onStarted([], [])
    await Promise.all([
      dispatch(dispatcherDeps(deps, service), parts.works, signal),
      watchInTurns(deps, service, queue),
      keepJoined(),
      untilStopped(signal),
    ])
  } finally {
    vitals.started = false
    await queue?.close()
    await warehouse.close()
  }
}

/** One machine judges the health of all accounts, and tells of it, whichever takes the turn. */
async function watchInTurns(
  { clock, signal }: ServiceDeps,
  { opened, parts: all, vitals }: Service,
  queue: Queue,
): Promise<void> {
  const works = syncedWorks(all)
  if (works.length === 0) return
  const watched = { accounts: all.accounts, works, awake: vitals.awake, isOneOfMany: true }
  const { ask } = await queue.takeTurns(HEALTH_SECONDS, (lost) =>
    judgeHealth(opened, watched, AbortSignal.any([signal, lost])),
  )
  while (!signal.aborted) {
    await clock.sleep(HEALTH_SECONDS * 1000, signal).catch(() => {})
    // A database that is away is told of by who looks for due work.
    if (!signal.aborted) await ask().catch(() => {})
  }
}

/** The longest that a statement of the queue may take. */
const PATIENCE_MS = 60_000
