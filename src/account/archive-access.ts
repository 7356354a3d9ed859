import { labelBudget } from '../archive/call-budget.ts'
import type { ArchiveAccess } from '../archive/work.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import type { RateLabel } from '../core/define/operation.ts'
import type { QuotaLedger } from '../core/define/ports.ts'
import type { FileStore } from '../store/store.ts'
import { archiveCallsAreScarce } from './archive-deadlines.ts'
import { openStore } from './choose-store.ts'
import { readQuotaFacts } from './quota-facts.ts'
import type { OpenWarehouse } from './wire.ts'

/** Opens an account's archive for the engine. The store opens with its first file. */
export function openArchive(
  opened: Pick<OpenWarehouse, 'wiring' | 'warehouse'>,
  settings: AccountSettings,
  ledger: QuotaLedger,
): ArchiveAccess & { close(): Promise<void> } {
  const { wiring } = opened
  let store: Promise<FileStore> | undefined
  return {
    settings: wiring.config.archive,
    store() {
      store ??= openStore(wiring, settings.name).then(async (one) => {
        await one.open()
        return one
      })
      // An unavailable disk may be back at the next run.
      store.catch(() => (store = undefined))
      return store
    },
    async callBudget(label: RateLabel) {
      const facts = await readQuotaFacts(wiring, settings, ledger)
      return labelBudget({ label, facts, retryAtMs: facts.retryAt.get(label) ?? 0 })
    },
    callsAreScarce: (label: RateLabel) =>
      archiveCallsAreScarce(opened, { settings, ledger, label }),
    async close() {
      const one = await store?.catch(() => undefined)
      await one?.close()
    },
  }
}
