import type { OpenWarehouse } from '../../account/wire.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Cause } from '../../core/define/cause.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { isDatabaseAway } from '../../warehouse/database-errors.ts'
import { REMIND_MS } from '../alerts/decide-alerts.ts'
import { openChannels, openPing } from '../alerts/open-channels.ts'
import { pingSwitch } from '../alerts/ping-switch.ts'
import { sendAlerts } from '../alerts/send-alerts.ts'
import { readHealth } from '../health/account-health.ts'
import { installationHealth } from '../health/installation-health.ts'
import { hasTurn, ownName, readMachines } from '../ledger/machines.ts'

export interface Watched {
  accounts: readonly AccountSettings[]
  awake: Awake
}

/**
 * Until the signal, checks the health of all accounts every few minutes if it is this machine's turn, and
 * sends alerts. Pings the dead man's switch if no cause is red. Logs a failure and tries again next time.
 */
export async function watchHealth(
  opened: OpenWarehouse,
  watched: Watched,
  signal: AbortSignal,
): Promise<void> {
  const { clock, observer } = opened.wiring
  while (!signal.aborted) {
    await clock.sleep(HEALTH_MS, signal).catch(() => {})
    if (signal.aborted) return
    try {
      await checkHealth(opened, watched, signal)
    } catch (error) {
      if (signal.aborted) return
      // Resets the time since which jobs could run, because no job can run without the database.
      if (isDatabaseAway(error)) watched.awake.restart()
      const code = error instanceof CallsheetError ? error.code : 'unexpected'
      const facts = { code, error: (error as Error).message }
      observer.event('health check failed', { ...facts, level: 'warn' })
    }
  }
}

async function checkHealth(
  opened: OpenWarehouse,
  { accounts, awake }: Watched,
  signal: AbortSignal,
): Promise<void> {
  const { warehouse, wiring } = opened
  const { clock, config, observer } = wiring
  const machines = await readMachines(warehouse.db)
  if (!hasTurn(ownName(), machines, Math.floor(clock.now() / HEALTH_MS))) return
  // Disks belong to one machine. Several machines would resolve each other's alerts, so none checks its
  // disks.
  const isAlone = machines.every(({ host }) => host === ownName().host)
  const causes: Cause[] = isAlone ? await installationHealth(wiring) : []
  for (const settings of accounts) {
    if (signal.aborted) return
    causes.push(...(await readHealth(opened, settings, awake.since())).causes)
  }
  const deps = { warehouse, clock, observer, signal }
  const channels = await openChannels(config, { clock })
  const rules = { level: config.alerts.level, remindMs: REMIND_MS }
  const checked = [...accounts.map(({ name }) => name), ...(isAlone ? [undefined] : [])]
  await sendAlerts({ ...deps, channels, rules }, causes, checked)
  const ping = openPing(config, { clock })
  if (ping !== undefined) await pingSwitch({ observer, signal, ping }, causes)
}

/** The time between two checks, each of which may take seconds. No person acts on an alert sooner. */
const HEALTH_MS = 300_000

/**
 * Since when the process has been able to work. A job that was due before is tried before it counts as late.
 */
export interface Awake {
  /**
   * Returns the instant since which the process can work, in epoch milliseconds. Call it every few minutes: a
   * jump of the wall clock means that the machine slept.
   */
  since(): number
  /** Records that the process cannot work now or could not until now, for example without its database. */
  restart(): void
}

export function trackAwake({ now }: Pick<Clock, 'now'>): Awake {
  let sinceMs = now()
  let seenMs = sinceMs
  return {
    since() {
      const nowMs = now()
      if (nowMs - seenMs > LEAP_MS) sinceMs = nowMs
      seenMs = nowMs
      return sinceMs
    },
    restart() {
      sinceMs = seenMs = now()
    },
  }
}

/** The minimum jump that counts as sleep: far longer than the time between two calls of `since`. */
const LEAP_MS = 600_000
