import type { OpenWarehouse } from '../../account/wire.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Cause } from '../../core/define/cause.ts'
import { CallsheetError } from '../../core/errors.ts'
import { isDatabaseAway } from '../../warehouse/database-errors.ts'
import { REMIND_MS } from '../alerts/decide-alerts.ts'
import { openChannels, openPing } from '../alerts/open-channels.ts'
import { pingAfterGoodNight } from '../alerts/ping-after-good-night.ts'
import { tellCauses } from '../alerts/tell-causes.ts'
import { readHealth } from '../health/account-health.ts'
import { installationHealth } from '../health/installation-health.ts'
import { hasTurn, ownName, readMachines } from '../ledger/machines.ts'
import type { Work } from '../queue/dispatcher.ts'
import type { Awake } from './awake.ts'

export interface Watched {
  accounts: readonly AccountSettings[]
  /** The jobs whose due times decide whether a night was good. */
  works: readonly Work[]
  awake: Awake
}

/**
 * Judges the health of the accounts whenever it is this machine's turn, tells what is wrong or mended, and
 * pings the dead man's switch after a good night, until the signal comes. What fails of it is logged, and
 * tried again with the next turn.
 */
export async function watchHealth(
  opened: OpenWarehouse,
  watched: Watched,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = opened.wiring
  if (watched.works.length === 0) return
  while (!signal.aborted) {
    await clock.sleep(HEALTH_MS, signal).catch(() => {})
    if (!signal.aborted) await judgeHealth(opened, watched, signal)
  }
}

async function judgeHealth(
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
  { accounts, works, awake }: Watched,
  signal: AbortSignal,
): Promise<void> {
  const { warehouse, wiring } = opened
  const { clock, config, observer } = wiring
  const machines = await readMachines(warehouse.db)
  if (!hasTurn(ownName(), machines, Math.floor(clock.now() / HEALTH_MS))) return
  // Disks are those of one machine. Beside others it tells nothing of its own, and nothing of theirs is over.
  const isAlone = machines.every(({ host }) => host === ownName().host)
  const causes: Cause[] = isAlone ? await installationHealth(wiring) : []
  for (const settings of accounts) {
    if (signal.aborted) return
    causes.push(...(await readHealth(opened, settings, { awakeMs: awake.since() })))
  }
  const { level } = config.alerts
  const deps = { warehouse, clock, observer, signal }
  const channels = await openChannels(config, { clock })
  const rules = { level, remindMs: REMIND_MS }
  const judged = [...accounts.map(({ name }) => name), ...(isAlone ? [undefined] : [])]
  await tellCauses({ ...deps, channels, rules }, causes, judged)
  const ping = openPing(config, { clock })
  if (ping !== undefined) await pingAfterGoodNight({ ...deps, ping }, { works, causes })
}

/** Nobody acts on an alert sooner, and a look at thousands of accounts takes seconds. */
const HEALTH_MS = 300_000
