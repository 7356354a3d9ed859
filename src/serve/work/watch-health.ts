import type { OpenWarehouse, Wiring } from '../../account/wire.ts'
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

/** The accounts of one database, whose health is checked. */
export interface Watched {
  wiring: Wiring
  accounts: readonly AccountSettings[]
  awake: Awake
  /** Undefined while this machine shares no work of this database. */
  sharing(): OpenWarehouse | undefined
}

/**
 * Until the signal, checks the health of all accounts every few minutes if it is this machine's turn, and
 * sends alerts. Pings the dead man's switch if it checked every database this time and no cause is red. Logs
 * a failure and tries again next time.
 */
export async function watchHealth(
  { clock, observer, config }: Wiring,
  watched: readonly Watched[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(HEALTH_MS, signal).catch(() => {})
    const found: (readonly Cause[] | undefined)[] = []
    for (const [index, one] of watched.entries())
      if (!signal.aborted) found.push(await tryCheck(one, { isFirst: index === 0, signal }))
    if (signal.aborted) return
    const ping = openPing(config, { clock })
    if (ping === undefined || found.length === 0 || found.includes(undefined)) continue
    const causes = found.flatMap((some) => some ?? [])
    await pingSwitch({ observer, signal, ping }, causes).catch(() => {})
  }
}

interface Check {
  /** Whether this is the first database, whose check includes the disks that all databases share. */
  isFirst: boolean
  signal: AbortSignal
}

/** Returns undefined if the check failed, is not this machine's turn, or this machine shares no work. */
async function tryCheck(watched: Watched, check: Check): Promise<readonly Cause[] | undefined> {
  const opened = watched.sharing()
  try {
    return opened && (await checkHealth(opened, watched, check))
  } catch (error) {
    if (check.signal.aborted) return undefined
    // Resets the time since which jobs could run, because no job can run without the database.
    if (isDatabaseAway(error)) watched.awake.restart()
    const code = error instanceof CallsheetError ? error.code : 'unexpected'
    const facts = { code, error: (error as Error).message }
    watched.wiring.observer.event('health check failed', { ...facts, level: 'warn' })
    return undefined
  }
}

async function checkHealth(
  opened: OpenWarehouse,
  { accounts, awake }: Watched,
  { isFirst, signal }: Check,
): Promise<readonly Cause[] | undefined> {
  const { warehouse, wiring } = opened
  const { clock, config, observer } = wiring
  const machines = await readMachines(warehouse.db)
  if (!hasTurn(ownName(), machines, Math.floor(clock.now() / HEALTH_MS))) return undefined
  // Disks belong to one machine. Several machines would resolve each other's alerts, so none checks its
  // disks.
  const checksDisks = isFirst && machines.every(({ host }) => host === ownName().host)
  const causes: Cause[] = checksDisks ? await installationHealth(wiring) : []
  for (const settings of accounts) {
    if (signal.aborted) return undefined
    causes.push(...(await readHealth(opened, settings, awake.since())).causes)
  }
  const deps = { warehouse, clock, observer, signal }
  const channels = await openChannels(config, { clock })
  const rules = { level: config.alerts.level, remindMs: REMIND_MS }
  const checked = [...accounts.map(({ name }) => name), ...(checksDisks ? [undefined] : [])]
  await sendAlerts({ ...deps, channels, rules }, causes, checked)
  return causes
}

/** The time between two checks, each of which may take seconds. */
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
