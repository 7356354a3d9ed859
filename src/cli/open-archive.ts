import type { Governor } from '../api/governor.ts'
import type { FileStore } from '../archive/store.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { quotasOf } from '../config/quotas.ts'
import type { RateLabel } from '../core/operation.ts'
import type { QuotaLedger } from '../core/ports.ts'
import { DAY_MS, utcDay } from '../core/time.ts'
import type { ArchiveAccess } from '../engine/archive/access.ts'
import { openStore } from './open-store.ts'
import type { Wiring } from './wire.ts'

/** An account's archive for the engine: its store is opened when the first file is to go into it. */
export function openArchive(
  { config, clock }: Pick<Wiring, 'config' | 'clock'>,
  settings: AccountSettings,
  { governor, ledger }: { governor: Governor; ledger: QuotaLedger },
): ArchiveAccess & { close(): Promise<void> } {
  let opened: Promise<FileStore> | undefined
  const quotas = quotasOf(settings.quotas)
  return {
    settings: config.archive,
    store() {
      opened ??= openStore({ config, clock }, settings.name).then(async (store) => {
        await store.open()
        return store
      })
      // A disk that is away may be back for the next run.
      opened.catch(() => (opened = undefined))
      return opened
    },
    async callsLeft(label: RateLabel) {
      const quota = quotas[label]
      const limit = governor.stats()[label].dailyLimit
      if (quota === 'learn') return undefined
      const nowMs = clock.now()
      const restMs = DAY_MS - (nowMs % DAY_MS)
      const { perSecond = Number.POSITIVE_INFINITY } = quota
      const byRate = perSecond * (1 - settings.headroom) * (restMs / 1000)
      const byDay =
        limit === undefined
          ? Number.POSITIVE_INFINITY
          : limit - (await ledger.spent(quota.pool, utcDay(nowMs)))
      const left = Math.min(byRate, byDay)
      return Number.isFinite(left) ? Math.max(0, Math.floor(left)) : undefined
    },
    async close() {
      const store = await opened?.catch(() => undefined)
      await store?.close()
    },
  }
}
