import { type OpenWarehouse, openWarehouse, type Wiring } from '../../account/wire.ts'
import { databasesOf } from '../../config/databases.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { REMIND_MS } from '../alerts/decide-alerts.ts'
import { openChannels } from '../alerts/open-channels.ts'
import { readShownHealth } from '../health/account-health.ts'
import type { Listening } from '../listen.ts'
import { dispatchByQueue } from '../queue/dispatch-by-queue.ts'
import type { Work } from '../queue/dispatcher.ts'
import { openQueue } from '../queue/queue.ts'
import { createHooks } from './hooks.ts'
import { joinMachines } from './join-machines.ts'
import { addressesOf, openReceiver, type ReceiverAddress, rereadUnknown } from './open-receiver.ts'
import { dispatcherDeps } from './run-due-work.ts'
import type { DoTask } from './run-task.ts'
import {
  refuseIdle,
  type ScheduledWork,
  type ScheduleOptions,
  scheduledWork,
} from './scheduled-work.ts'
import { openStatusServer, type ShownPlace, type Vitals } from './status-server.ts'
import { type DatabaseWatch, waitForDatabase, watchDatabase } from './watch-database.ts'
import { trackAwake, type Watched, watchHealth } from './watch-health.ts'

export interface ServiceDeps extends Wiring {
  signal: AbortSignal
  doTask: DoTask
  /** Called for each database whose work begins, with this work and the local addresses of its receivers. */
  onStarted(works: readonly Work[], addresses: readonly ReceiverAddress[]): void
}

/** The work of one database and its accounts. */
interface Service {
  wiring: Wiring
  /** The name of the database; undefined if there is only one. */
  database: string | undefined
  scheduled: ScheduledWork
  vitals: Vitals
  /** Resolves once the database has been reached. */
  reached: PromiseWithResolvers<Warehouse>
  /** Set while this machine shares the work. */
  sharing?: OpenWarehouse | undefined
}

/**
 * Runs until the signal: runs due work, receives notifications, and serves `/livez`, `/readyz`, metrics and
 * status pages. Any number of such processes share the work. The servers listen even before a database is
 * available, and a database that is away stops only the work of its accounts.
 */
export async function serve(deps: ServiceDeps, options: ScheduleOptions): Promise<number> {
  const { config, clock, observer, signal } = deps
  const wiring: Wiring = { config, clock, observer }
  const services = servicesOf(wiring, options)
  refuseIdle(
    services.map(({ scheduled }) => scheduled),
    options,
  )
  const status = await openStatusServer(wiring, services.map(shownOf))
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, stop.signal])
  const watching = services.map((one) => watchDatabase(databaseWatch(one), ended))
  // The health of a database without work is not checked, so that it does not hold back the ping.
  const working = services.filter(({ scheduled }) => scheduled.works.length > 0)
  const health = watchHealth(wiring, working.map(watchedOf), ended)
  let receiver: Listening | undefined
  try {
    observer.event('serving', { url: status.url })
    receiver = await receiverOf(wiring, services)
    const all = services.map((one) => withDatabase({ ...deps, signal: ended }, one, receiver))
    await Promise.all(all).catch(async (error: unknown) => {
      stop.abort()
      await Promise.allSettled(all)
      throw error
    })
  } finally {
    stop.abort()
    await receiver?.close()
    await Promise.all([...watching, health])
    await status.close()
  }
  return 0
}

function servicesOf({ config, clock, observer }: Wiring, options: ScheduleOptions): Service[] {
  const databases = databasesOf(config)
  return databases.map((one) => {
    const awake = trackAwake(clock)
    return {
      wiring: { config: one.config, clock, observer },
      database: databases.length === 1 ? undefined : one.database,
      scheduled: scheduledWork(one.config, options),
      vitals: { warehouse: undefined, started: false, beatMs: clock.elapsed(), awake },
      reached: Promise.withResolvers<Warehouse>(),
    }
  })
}

function shownOf({ wiring, scheduled, vitals }: Service): ShownPlace {
  const { accounts } = scheduled
  const readShown: ShownPlace['readShownHealth'] = (...of) =>
    readShownHealth(...of, vitals.awake.since())
  return { wiring, vitals, accounts, readShownHealth: readShown }
}

function watchedOf(service: Service): Watched {
  const { wiring, scheduled, vitals } = service
  const { accounts } = scheduled
  return { wiring, accounts, awake: vitals.awake, sharing: () => service.sharing }
}

/** Returns undefined if no account receives notifications. */
async function receiverOf(
  wiring: Wiring,
  services: readonly Service[],
): Promise<Listening | undefined> {
  const databases = services.map(({ scheduled, reached }) => ({
    accounts: scheduled.receiving,
    warehouse: reached.promise,
  }))
  if (databases.every(({ accounts }) => accounts.length === 0)) return undefined
  return await openReceiver(wiring, databases)
}

/** Waits for the database, then runs everything until the signal. */
async function withDatabase(
  deps: ServiceDeps,
  service: Service,
  receiver: Listening | undefined,
): Promise<void> {
  const { wiring, scheduled, vitals } = service
  const { clock, observer } = wiring
  const { signal } = deps
  const onAway = (error: CallsheetError): void => {
    vitals.away = error
    vitals.beatMs = clock.elapsed()
  }
  const opened = await waitForDatabase({ clock, observer, signal, onAway }, () =>
    openWarehouse(wiring, true),
  )
  vitals.warehouse = opened.warehouse
  service.reached.resolve(opened.warehouse)
  vitals.awake.restart()
  const { works, receiving } = scheduled
  const onStarted = (): void => {
    deps.onStarted(works, receiver === undefined ? [] : addressesOf(receiver, receiving))
    vitals.started = true
    observer.event('service started', { count: works.length })
  }
  try {
    await rereadUnknown(opened, receiving)
    if (works.length > 0) await shareWork(deps, { service, opened }, onStarted)
    else await onlyReceive(deps, service, onStarted)
  } finally {
    vitals.started = false
    await opened.close()
  }
}

/**
 * Runs the due jobs, reports and tasks until the signal. Jobs and reports of an account run one at a time
 * across all machines.
 */
async function shareWork(
  deps: ServiceDeps,
  { service, opened }: { service: Service; opened: OpenWarehouse },
  onStarted: () => void,
): Promise<void> {
  const { signal } = deps
  const { scheduled, vitals } = service
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
      service.sharing = opened
      await Promise.all([
        dispatchByQueue(
          dispatcherDeps(opened, { accounts, vitals, queue, doTask: deps.doTask, hooks }),
          works,
          signal,
        ),
        keepJoined(),
      ])
    } finally {
      service.sharing = undefined
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
 * Only receives notifications. This needs no more than the database role of a receiver, which cannot read the
 * queue, the machines or the health ledgers.
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

function databaseWatch({ wiring, database, vitals }: Service): DatabaseWatch {
  const { clock, config, observer } = wiring
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
  return { database, clock, observer, ping, channels, remindMs: REMIND_MS }
}

const BEAT_MS = 30_000
/** The database's timeout of the queue's statements. The queue itself waits 30 seconds for an answer. */
const PATIENCE_MS = 60_000
