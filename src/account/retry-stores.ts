import type { FoundReadings, QuotaLedger, TokenStore } from '../core/define/ports.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'
import { retryDatabase } from '../warehouse/ledger/retry-database.ts'

type Deps = Pick<EngineDeps, 'clock' | 'observer'>

/** Wraps a token store, so that a brief database failure does not end a run. */
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
 * Wraps the quota ledger in the same way. Reserving twice after a lost response counts too many calls, which
 * is safe. Releasing twice would count too few, so a release is not repeated; the calls stay reserved.
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

/** Wraps the findings about the service, so that a brief database failure loses none. */
export function retryReadings(deps: Deps, found: FoundReadings): FoundReadings {
  return { ...found, remember: (...one) => retryDatabase(deps, () => found.remember(...one)) }
}
