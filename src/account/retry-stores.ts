import type { FoundReadings, QuotaLedger, TokenStore } from '../core/define/ports.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'

type Deps = Pick<EngineDeps, 'clock' | 'observer'>

/** A token store that a passing failure of the database does not end a run by. */
export function retryTokens(deps: Deps, store: TokenStore): TokenStore {
  return {
    read: () => retryDatabase(deps, () => store.read()),
    claimRenewal: (...claim) => retryDatabase(deps, () => store.claimRenewal(...claim)),
    save: (...token) => retryDatabase(deps, () => store.save(...token)),
    demandLogin: (...demand) => retryDatabase(deps, () => store.demandLogin(...demand)),
    forget: (reason) => retryDatabase(deps, () => store.forget(reason)),
    releaseClaim: () => retryDatabase(deps, () => store.releaseClaim()),
  }
}

/**
 * The same for the quota. Booking twice after a lost answer counts too many, which is safe; giving back twice
 * would count too few, so that is tried once, and what it fails to give back stays booked.
 */
export function retryLedger(deps: Deps, ledger: QuotaLedger): QuotaLedger {
  return {
    reserve: (...calls) => retryDatabase(deps, () => ledger.reserve(...calls)),
    giveBack: (...calls) => ledger.giveBack(...calls),
    spent: (...day) => retryDatabase(deps, () => ledger.spent(...day)),
    readLabel: (label) => retryDatabase(deps, () => ledger.readLabel(label)),
    holdLabel: (...hold) => retryDatabase(deps, () => ledger.holdLabel(...hold)),
    saveLearnedRate: (...rate) => retryDatabase(deps, () => ledger.saveLearnedRate(...rate)),
  }
}

/** What was found out of the service, kept in spite of a passing failure. */
export function retryReadings(deps: Deps, found: FoundReadings): FoundReadings {
  return { ...found, remember: (...one) => retryDatabase(deps, () => found.remember(...one)) }
}
