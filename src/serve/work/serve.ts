import { type OpenWarehouse, openWarehouse, type Wiring } from '../../account/wire.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { REMIND_MS } from '../alerts/decide-alerts.ts'
import { openChannels } from '../alerts/open-channels.ts'
import { readShownHealth } from '../health/account-health.ts'
import { dispatchByQueue } from '../queue/dispatch-by-queue.ts'
import type { Work } from '../queue/dispatcher.ts'
import { openQueue } from '../queue/queue.ts'
import { createHooks } from './hooks.ts'
import { joinMachines } from './join-machines.ts'
import { addressesOf, openReceiver, type ReceiverAddress } from './open-receiver.ts'
import { dispatcherDeps } from './run-due-work.ts'
import type { DoTask } from './run-task.ts'
import { type ScheduledWork, type ScheduleOptions, scheduledWork } from './scheduled-work.ts'
import { openStatusServer, type Vitals } from './status-server.ts'
import { type DatabaseWatch, waitForDatabase, watchDatabase } from './watch-database.ts'
import { trackAwake, watchHealth } from './watch-health.ts'

export interface ServiceDeps extends Wiring {
  signal: AbortSignal
  doTask: DoTask
  /** Called when everything runs, with the work of all machines and this machine's receiver addresses. */
  onStarted(works: readonly Work[], addresses: readonly ReceiverAddress[]): void
}

/** A service whose database has been reached. */
interface Service {
  opened: OpenWarehouse
  scheduled: ScheduledWork
  vitals: Vitals
}

/**
 * Runs until the signal: runs due work, receives notifications, and serves `/livez`, `/readyz` and the status
 * page. Any number of such processes share the work. The status server listens even before the database is
 * available.
 */
export async function serve(deps: ServiceDeps, options: ScheduleOptions): Promise<number> {
  const { config, clock, observer, signal } = deps
  const wiring: Wiring = { config, clock, observer }
  const scheduled = scheduledWork(config, options)
  const awake = trackAwake(clock)
  const vitals: Vitals = { warehouse: undefined, started: false, beatMs: clock.elapsed(), awake }
  const status = await openStatusServer(wiring, {
    vitals,
    accounts: scheduled.accounts,
    readShownHealth: (...of) => readShownHealth(...of, awake.since()),
  })
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const watching = watchDatabase(databaseWatch(wiring, vitals), ended)
  try {
    observer.event('serving', { url: status.url })
    await withDatabase(deps, { scheduled, vitals })
  } finally {
    stop.abort()
    await watching
    await status.close()
  }
  return 0
}

/** Waits for the database, then runs everything until the signal. */
async function withDatabase(
  deps: ServiceDeps,
  { scheduled, vitals }: Omit<Service, 'opened'>,
): Promise<void> {
  const { config, clock, observer, signal } = deps
  const onAway = (error: CallsheetError): void => {
    vitals.away = error
    vitals.beatMs = clock.elapsed()
  }
  const opened = await waitForDatabase({ clock, observer, signal, onAway }, () =>
    openWarehouse({ config, clock, observer }, true),
  )
  vitals.warehouse = opened.warehouse
  vitals.awake.restart()
  const { works, receiving } = scheduled
  const service = { opened, scheduled, vitals }
  try {
    const receiver = receiving.length === 0 ? undefined : await openReceiver(opened, receiving)
    const onStarted = (): void => {
      deps.onStarted(works, receiver === undefined ? [] : addressesOf(receiver, receiving))
      vitals.started = true
      observer.event('service started', { count: works.length })
    }
    try {
      if (works.length > 0) await shareWork(deps, service, onStarted)
      else await onlyReceive(deps, service, onStarted)
    } finally {
      vitals.started = false
      await receiver?.close()
    }
  } finally {
    await opened.close()
  }
}

/**
 * Runs the due jobs, reports and tasks until the signal. Jobs and reports of an account run one at a time
 * across all machines, which also take turns to check the health of all accounts.
 */
async function shareWork(
  deps: ServiceDeps,
  service: Service,
  onStarted: () => void,
): Promise<void> {
  const { signal } = deps
  const { opened, scheduled, vitals } = service
  const { accounts, works } = scheduled
  // A warehouse with connections for the queue alone, so that no job delays a heartbeat.
  const warehouse = opened.warehouse.withPatience(PATIENCE_MS)
  try {
    const { queue, keepJoined } = await waitForDatabase({ ...opened.wiring, signal }, () =>
      join(opened, warehouse, signal),
    )
    const hooks = createHooks(opened, { signal })
    try {
      onStarted()
      await Promise.all([
        dispatchByQueue(
          dispatcherDeps(opened, { accounts, vitals, queue, doTask: deps.doTask, hooks }),
          works,
          signal,
        ),
        watchHealth(opened, { accounts, awake: vitals.awake }, signal),
        keepJoined(),
      ])
    } finally {
      await hooks.settled()
      await queue.close()
    }
  } finally {
    await warehouse.close()
  }
}

async function join(opened: OpenWarehouse, warehouse: Warehouse, signal: AbortSignal) {
  const { config, observer } = opened.wiring
  const queue = await openQueue({ warehouse, observer, backend: config.database.backend })
  try {
    return { queue, ...(await joinMachines(opened, signal)) }
  } catch (error) {
    await queue.close()
    throw error
  }
}

/**
 * Only receives notifications: the database role of a receiver cannot read the queue, the machines or the
 * health ledgers.
 */
async function onlyReceive(
  { clock, signal }: ServiceDeps,
  { vitals }: Service,
  onStarted: () => void,
): Promise<void> {
  onStarted()
  while (!signal.aborted) {
    vitals.beatMs = clock.elapsed()
    await clock.sleep(BEAT_MS, signal).catch(() => {})
  }
}

function databaseWatch({ clock, config, observer }: Wiring, vitals: Vitals): DatabaseWatch {
  const ping = async (): Promise<boolean | CallsheetError> => {
    const pinged = vitals.warehouse?.ping()
    if (pinged === undefined) return vitals.away ?? false
    return await pinged.then(
      () => true,
      // If no connection of the pool is free, the database is available and serves other work.
      (error: unknown) =>
        error instanceof CallsheetError ? error.code === 'pool_exhausted' || error : false,
    )
  }
  const channels = () => openChannels(config, { clock })
  return { clock, observer, ping, channels, remindMs: REMIND_MS }
}

const BEAT_MS = 30_000
/** Timeout of the queue's statements. */
const PATIENCE_MS = 60_000
