import { type OpenWarehouse, openWarehouse, type Wiring } from '../../account/wire.ts'
import { CallsheetError } from '../../core/errors.ts'
import { REMIND_MS } from '../alerts/decide-alerts.ts'
import { openChannels } from '../alerts/open-channels.ts'
import type { Work } from '../queue/dispatcher.ts'
import { trackAwake } from './awake.ts'
import { createAwayMemory } from './away-memory.ts'
import type { ReceiverAddress } from './open-receiver.ts'
import { openStatusServer, type Vitals } from './open-status-server.ts'
import type { Parts } from './parts.ts'
import { readCauses } from './read-causes.ts'
import type { DoTask } from './task-work.ts'
import { type DatabaseWatch, tellEnd, watchDatabase } from './watch-database.ts'
import { whenThere } from './when-there.ts'

/** What a service is started with. It says what happens in the log. */
export interface ServiceDeps extends Wiring {
  signal: AbortSignal
  /** A person sits before it, and reads there why it ended. */
  isWatched: boolean
  doTask: DoTask
  /** Once it runs: the works that are all its own, and the addresses of its receiver. */
  onStarted(works: readonly Work[], addresses: readonly ReceiverAddress[]): void
}

/** A process that keeps running, once its database is there. */
export interface Service {
  opened: OpenWarehouse
  parts: Parts
  vitals: Vitals
}

/**
 * Lets a service run until it is stopped, with the address that tells whether it is alive and ready. It
 * listens there from the start, and waits for the database.
 */
export async function runService(
  deps: ServiceDeps,
  parts: Parts,
  keep: (service: Service) => Promise<void>,
): Promise<number> {
  const { config, clock, observer, signal } = deps
  const wiring: Wiring = { config, clock, observer }
  const vitals: Vitals = {
    warehouse: undefined,
    started: false,
    beatMs: clock.elapsed(),
    awake: trackAwake(clock),
  }
  const { accounts } = parts
  const status = await openStatusServer(wiring, {
    vitals,
    accounts,
    readCauses: (...of) => readCauses(...of, vitals.awake.since()),
  })
  const stop = new AbortController()
  const watch = watchOf(wiring, vitals)
  const watching = watchDatabase(watch, AbortSignal.any([signal, stop.signal]))
  let fault: unknown
  try {
    observer.event('serving', { url: status.url })
    const onAway = (error: CallsheetError): void => {
      vitals.away = error
      vitals.beatMs = clock.elapsed()
    }
    const open = () => openWarehouse(wiring, true)
    const opened = await whenThere({ clock, observer, signal, onAway }, open)
    vitals.warehouse = opened.warehouse
    vitals.awake.restart()
    try {
      await keep({ opened, parts, vitals })
    } finally {
      await opened.close()
    }
  } catch (error) {
    fault = error
    throw error
  } finally {
    stop.abort()
    await watching
    const isAlone = !deps.isWatched && !signal.aborted
    const code = vitals.warehouse === undefined ? 'database_away' : 'service_down'
    if (isAlone && fault instanceof CallsheetError) await tellEnd(watch, { code, error: fault })
    await status.close()
  }
  return 0
}

/** From the start: a database that is never there is to be heard of, too. */
function watchOf({ clock, config, observer }: Wiring, vitals: Vitals): DatabaseWatch {
  const isThere = async (): Promise<boolean | CallsheetError> => {
    const pinged = vitals.warehouse?.ping()
    if (pinged === undefined) return vitals.away ?? false
    return await pinged.then(
      () => true,
      // A full pool is busy, and the database answers it.
      (error: unknown) =>
        error instanceof CallsheetError ? error.code === 'pool_exhausted' || error : false,
    )
  }
  const channels = () => openChannels(config, { clock })
  const memory = createAwayMemory(config.stateDirectory, observer)
  return { clock, observer, isThere, channels, remindMs: REMIND_MS, memory }
}
