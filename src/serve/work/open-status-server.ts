import type { Wiring } from '../../account/wire.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { isLoopbackHost } from '../../config/loopback.ts'
import type { CallsheetError } from '../../core/errors.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import type { StatusSources } from '../health/status-sources.ts'
import type { Listening } from '../listen.ts'
import type { Awake } from './awake.ts'
import type { ReadCauses } from './read-snapshot.ts'
import { serveStatus } from './status-server.ts'
import { openStatusSources } from './status-sources.ts'

/** What a running service knows of its own state. */
export interface Vitals {
  /** Undefined until the database was reached. */
  warehouse: Warehouse | undefined
  /** Why the database was not reached yet. */
  away?: CallsheetError
  /** All parts run. */
  started: boolean
  /** When the schedule last looked for due work, as elapsed milliseconds. */
  beatMs: number
  awake: Awake
}

export interface StatusOf {
  vitals: Vitals
  /** Whose state is shown. */
  accounts: readonly AccountSettings[]
  readCauses: ReadCauses
}

/** Opens the address that tells whether the service is alive and ready, and shows how the accounts stand. */
export async function openStatusServer(
  wiring: Wiring,
  { vitals, accounts, readCauses }: StatusOf,
): Promise<Listening> {
  const { clock, observer } = wiring
  const { host, port, token } = wiring.config.serve
  let opened: StatusSources | undefined
  const closed = new AbortController()
  const { signal } = closed
  const listening = await serveStatus({
    setting: 'serve',
    host,
    port,
    loopback: isLoopbackHost(host),
    token: token?.reveal(),
    observer,
    isAlive: () => clock.elapsed() - vitals.beatMs < LONGEST_SILENCE_MS,
    notReady: async () => {
      if (vitals.warehouse === undefined) return 'waiting for the database'
      if (!vitals.started) return 'starting or stopping'
      return await vitals.warehouse.ping().then(
        () => undefined,
        () => 'the database does not answer',
      )
    },
    sources: () => {
      const { warehouse } = vitals
      if (warehouse !== undefined)
        opened ??= openStatusSources({ warehouse, wiring }, accounts, { readCauses, signal })
      return opened
    },
  })
  const close = async (): Promise<void> => {
    closed.abort()
    await listening.close()
  }
  return { ...listening, close }
}

/** The schedule looks at least every 30 seconds, whatever its jobs do. */
const LONGEST_SILENCE_MS = 120_000
