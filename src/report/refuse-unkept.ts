import type { Report, ReportPeriods } from '../core/define/report.ts'
import { ConfigurationError } from '../core/errors.ts'
import { DAY_MS, utcDay } from '../core/time/time.ts'
import { zonedDayStartMs, zonedInstant } from '../core/time/zone.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { ledgerKeptFromMs } from '../warehouse/ledger/runs.ts'

interface Wanted {
  report: Report
  account: string
  timeZone: string
  endedByMs?: number | undefined
  sinceMs?: number | undefined
}

/**
 * Refuses what the ledger no longer tells, and names the earliest that it does. Of a slice the last reading
 * stays, however old it is: so a report as of now covers any period. One that is made as of an instant
 * before, or that rests on the ledger's own entries of its period, needs them all.
 */
export async function refuseUnkept(
  tx: Transaction,
  { report, account, timeZone, endedByMs, sinceMs }: Wanted,
  periods: ReportPeriods | undefined,
): Promise<void> {
  const restsOnEntries = report.needs.length === 0
  const asked = [endedByMs, sinceMs, restsOnEntries ? periods?.period.fromMs : undefined]
  const askedMs = Math.min(...asked.map((ms) => ms ?? Infinity))
  if (askedMs === Infinity) return
  const keptFromMs = await ledgerKeptFromMs(tx)
  if (keptFromMs === undefined || askedMs >= keptFromMs) return
  const earliest = firstWholeDay(keptFromMs, timeZone)
  throw new ConfigurationError('ledger_not_kept', {
    tried: `Make ${report.title} for the account ${account}, from ${dayOf(askedMs, timeZone)}`,
    expected: `${earliest} or later, since when the ledger of what was read is kept`,
    came: `the ledger of that time is no longer kept (ledger.keepMonths): the earliest is ${earliest}`,
    todo: `ask for ${earliest} or later`,
  })
}

function dayOf(atMs: number, timeZone: string): string {
  return zonedInstant(atMs, timeZone).slice(0, 10)
}

function firstWholeDay(atMs: number, timeZone: string): string {
  const day = dayOf(atMs, timeZone)
  if (zonedDayStartMs(day, timeZone) >= atMs) return day
  return utcDay(Date.parse(day) + DAY_MS)
}
