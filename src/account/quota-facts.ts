import type { EstimateFacts } from '../api/quota/estimate.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { quotasOf } from '../config/quotas.ts'
import type { RateLabel } from '../core/define/operation.ts'
import type { QuotaLedger } from '../core/define/ports.ts'
import { poolOf, RATE_LABELS } from '../core/define/quota.ts'
import type { Clock } from '../core/time/clock.ts'
import { utcDay } from '../core/time/time.ts'

export interface QuotaFacts extends Omit<EstimateFacts, 'callsPerLabel'> {
  /** By label, until when it must wait at the service's request, in epoch milliseconds; may be past. */
  retryAt: ReadonlyMap<RateLabel, number>
}

/** Reads an account's quotas, and today's calls and learned rates from the ledger. */
export async function readQuotaFacts(
  { clock }: { clock: Clock },
  settings: AccountSettings,
  ledger: Pick<QuotaLedger, 'spent' | 'readLabel'>,
): Promise<QuotaFacts> {
  const quotas = quotasOf(settings.quotas)
  const spentToday = new Map<string, number>()
  const learned = new Map<RateLabel, number>()
  const retryAt = new Map<RateLabel, number>()
  for (const label of RATE_LABELS) {
    const pool = poolOf(label, quotas[label])
    spentToday.set(pool, await ledger.spent(pool, utcDay(clock.now())))
    const { learnedCallsPerSecond, retryAtMs } = await ledger.readLabel(label)
    if (learnedCallsPerSecond !== undefined) learned.set(label, learnedCallsPerSecond)
    retryAt.set(label, retryAtMs)
  }
  const { reserve } = settings
  return { quotas, reserve, spentToday, learned, retryAt, nowMs: clock.now() }
}
