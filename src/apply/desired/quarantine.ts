import type { LiveAccount } from '../../core/define/desired.ts'
import { DAY_MS, utcDay } from '../../core/time/time.ts'
import { phoneNumberAssignments } from '../../resources/phone-numbers.ts'

/**
 * Returns why an unassigned number is in quarantine, by its ID; undefined if it is not. Only a known end of
 * an assignment counts, because a number that was never seen assigned may be new.
 */
export async function quarantine(
  ids: readonly string[],
  live: LiveAccount,
): Promise<(id: string) => string | undefined> {
  const { quarantineDays: days, nowMs } = live
  if (days === 0 || ids.length === 0) return () => undefined
  const by = { column: 'phone_number_id', values: ids }
  const ended = await live.endedAtMs({ stream: phoneNumberAssignments, by })
  return (id) => {
    const endedMs = ended.get(id)
    if (endedMs === undefined || nowMs - endedMs >= days * DAY_MS) return undefined
    const until = utcDay(endedMs + days * DAY_MS)
    return (
      `it is in quarantine until ${until}, as it was assigned until ${utcDay(endedMs)} ` +
      '(reports.settings.number-inventory.quarantineDays): wait, or add --allow-quarantined'
    )
  }
}
