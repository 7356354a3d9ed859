import type { FileStore } from '../archive/store.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import type { RateLabel } from '../core/operation.ts'
import type { QuotaLedger } from '../core/ports.ts'
import type { ArchiveAccess } from '../engine/archive/access.ts'
import { labelBudget } from '../engine/call-budget.ts'
import { openStore } from './open-store.ts'
import { readQuotaFacts } from './quota-facts.ts'
import type { Wiring } from './wire.ts'

/** An account's archive for the engine: its store is opened when the first file is to go into it. */
export function openArchive(
  wiring: Pick<Wiring, 'config' | 'clock'>,
  settings: AccountSettings,
  ledger: QuotaLedger,
): ArchiveAccess & { close(): Promise<void> } {
  let opened: Promise<FileStore> | undefined
  return {
    settings: wiring.config.archive,
    store() {
      opened ??= openStore(wiring, settings.name).then(async (store) => {
        await store.open()
        return store
      })
      // A disk that is away may be back for the next run.
      opened.catch(() => (opened = undefined))
      return opened
    },
    async callBudget(label: RateLabel) {
      const { notBefore, ...facts } = await readQuotaFacts(wiring, settings, ledger)
      return labelBudget({
        label,
        facts: { ...facts, callsPerLabel: {} },
        notBeforeMs: notBefore.get(label) ?? 0,
      })
    },
    async close() {
      const store = await opened?.catch(() => undefined)
      await store?.close()
    },
  }
}
