import { addressesOf, openReceiver } from './open-receiver.ts'
import { type PartOptions, partsOf } from './parts.ts'
import { runService, type Service, type ServiceDeps } from './run-service.ts'
import { shareWork } from './share-work.ts'

/**
 * Runs until it is stopped, alone or beside any number of such processes: does what is due, receives
 * notifications, and tells whether it is alive and ready. It listens there from the start, and waits for the
 * database.
 */
export async function serve(deps: ServiceDeps, options: PartOptions): Promise<number> {
  const { config, observer } = deps
  return await runService(deps, partsOf(config, options), async (service) => {
    const { opened, parts, vitals } = service
    const { works, told } = parts
    const receiver = told.length === 0 ? undefined : await openReceiver(opened, told)
    const started = (): void => {
      deps.onStarted(works, receiver === undefined ? [] : addressesOf(receiver, told))
      vitals.started = true
      observer.event('service started', { count: works.length })
    }
    try {
      if (works.length > 0) await shareWork(deps, service, started)
      else await onlyReceive(deps, service, started)
    } finally {
      vitals.started = false
      await receiver?.close()
    }
  })
}

/** The role of such a process may see neither the queue nor the machines, nor what health is judged by. */
async function onlyReceive(
  { clock, signal }: ServiceDeps,
  { vitals }: Service,
  started: () => void,
): Promise<void> {
  started()
  while (!signal.aborted) {
    vitals.beatMs = clock.elapsed()
    await clock.sleep(BEAT_MS, signal).catch(() => {})
  }
}

const BEAT_MS = 30_000
