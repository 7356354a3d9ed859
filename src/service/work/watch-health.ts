import type { OpenWarehouse } from '../../account/wire.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Cause } from '../../core/define/cause.ts'
import { CallsheetError } from '../../core/errors.ts'
import { isDatabaseAway } from '../../warehouse/database-errors.ts'
import { readHealth } from '../health/account-health.ts'
import { installationHealth } from '../health/installation-health.ts'
import type { Work } from '../queue/dispatcher.ts'
import { REMIND_MS } from '../tell/decide-alerts.ts'
import { openChannels, openPing } from '../tell/open-channels.ts'
import { pingAfterGoodNight } from '../tell/ping-after-good-night.ts'
import { tellCauses } from '../tell/tell-causes.ts'
import type { Awake } from './awake.ts'

export interface Watched {
  accounts: readonly AccountSettings[]
  /** The jobs whose due times decide whether a night was good. */
  works: readonly Work[]
  awake: Awake
  /** The disks of one machine are no news of the others, so they are told of by none. */
  isOneOfMany?: boolean
}

/**
 * Judges the health of the accounts every few minutes, tells what is wrong or mended, and pings the dead
 * man's switch after a good night, until the signal comes. What fails of it is logged and tried again.
 */
export async function watchHealth(
  opened: OpenWarehouse,
  watched: Watched,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = opened.wiring
  while (!signal.aborted) {
    await clock.sleep(HEALTH_SECONDS * 1000, signal).catch(() => {})
    if (signal.aborted) return
    await judgeHealth(opened, watched, signal)
  }
}

/** Once. A fault of it is logged, and is no reason to end. */
export async function judgeHealth(
  opened: OpenWarehouse,
  watched: Watched,
  signal: AbortSignal,
): Promise<void> {
  try {
    await judgeAndTell(opened, watched, signal)
  } catch (error) {
    if (signal.aborted) return
    // Nothing can be tried without it.
    if (isDatabaseAway(error)) watched.awake.restart()
    const code = error instanceof CallsheetError ? error.code : 'unexpected'
    const facts = { code, error: (error as Error).message }
    opened.wiring.observer.event('health not judged', { ...facts, level: 'warn' })
  }
}

async function judgeAndTell(
  opened: OpenWarehouse,
  { accounts, works, awake, isOneOfMany = false }: Watched,
  signal: AbortSignal,
): Promise<void> {
  const { warehouse, wiring } = opened
  const { clock, config, observer } = wiring
  const causes: Cause[] = isOneOfMany ? [] : await installationHealth(wiring)
  for (const settings of accounts) {
    if (signal.aborted) return
    causes.push(...(await readHealth(opened, settings, { awakeMs: awake.since() })))
  }
  const { level } = config.alerts
  const deps = { warehouse, clock, observer, signal }
  const channels = await openChannels(config, { clock })
  const rules = { level, remindMs: REMIND_MS }
  const judged = accounts.map(({ name }) => name)
  await tellCauses({ ...deps, channels, rules }, causes, judged)
  const ping = openPing(config, { clock })
  if (ping !== undefined) await pingAfterGoodNight({ ...deps, ping }, { works, causes })
}
export const HEALTH_SECONDS = 300
