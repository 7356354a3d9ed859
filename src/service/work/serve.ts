import { untilStopped } from '../../core/time/until-stopped.ts'
import { dispatchHere } from '../queue/dispatch-here.ts'
import { dispatcherDeps } from './due-work.ts'
import { addressesOf, openReceiver } from './open-receiver.ts'
import { type PartOptions, partsOf, syncedWorks } from './parts.ts'
import { runService, type Service, type ServiceDeps } from './run-service.ts'
import { watchHealth } from './watch-health.ts'

/**
 * Runs until it is stopped: each job when it is due, the receiver of notifications, and the address that
 * tells whether it is alive and ready. It listens there from the start, and waits for the database.
 */
export async function serve(deps: ServiceDeps, options: PartOptions): Promise<number> {
  const { config, observer, signal } = deps
  return await runService(deps, partsOf(config, options), async (service) => {
    const { opened, parts, vitals } = service
    const { works, told } = parts
    const receiver = told.length === 0 ? undefined : await openReceiver(opened, told)
    try {
      deps.onStarted(works, receiver === undefined ? [] : addressesOf(receiver, told))
      vitals.started = true
      observer.event('service started', { count: works.length })
      await Promise.all([
        dispatchHere(dispatcherDeps(deps, service), works, signal),
        watching(service, signal),
        untilStopped(signal),
      ])
    } finally {
      vitals.started = false
      await receiver?.close()
    }
  })
}

/** A process that only receives notifications may not read what health is judged by. */
async function watching({ opened, parts, vitals }: Service, signal: AbortSignal): Promise<void> {
  const works = syncedWorks(parts)
  const watched = { accounts: parts.accounts, works, awake: vitals.awake }
  if (works.length > 0) await watchHealth(opened, watched, signal)
}
