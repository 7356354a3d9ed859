import { sql } from 'kysely'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { phoneNumberAssignments } from '../../src/resources/phone-numbers.ts'
import { instantOf } from '../shared/local-time.ts'
import { numberPrice } from '../shared/number-price.ts'
import type { NumberSource } from './source.ts'

/** An unassigned number. */
interface IdleNumber {
  id: string
  number: string | null
  allocated_product: string | null
  number_type: string | null
  status: string | null
  location_country: string | null
  site_id: string | null
  site_name: string | null
  _first_seen_at: string
  /** When a run found the last assignment ended; if no ended one is known, when the number was first seen. */
  idle_since: string
  /** Whether an ended assignment is known. */
  freed: boolean
  idle_days: number
  quarantine_days_left: number
  /** Whether the number has a normal status, is unassigned and is no longer in quarantine. */
  reclaimable: boolean
  /** The monthly cost; null if no price is known. */
  monthly_cost: number | null
}

export type IdleNumbers = Relation<IdleNumber>

/** Keeps the unassigned numbers with their idle time and cost, for several sheets. */
export async function idleNumbers({
  versions,
  keep,
  settings,
  asOfMs,
  numbers,
}: NumberSource): Promise<IdleNumbers> {
  // Raw SQL, because it counts days and looks up prices.
  const ended = sql`(
    select phone_number_id, max(_valid_to) as at from ${versions(phoneNumberAssignments)} v
    where _valid_to is not null group by phone_number_id)`
  const days = sql`greatest(0, floor(extract(epoch from ${instantOf(asOfMs)} - since) / 86400))::int`
  const left = sql`greatest(0, ${settings.quarantineDays}::int - ${days})`
  const query = sql<IdleNumber>`(
    select id, number, allocated_product, number_type, status, location_country, site_id, site_name,
      _first_seen_at, since as idle_since, freed, ${days} as idle_days,
      ${left} as quarantine_days_left,
      coalesce(status = 'Normal', false) and ${left} = 0 as reclaimable,
      ${numberPrice(settings.prices)} as monthly_cost
    from (
      select n.*, coalesce(e.at, n._first_seen_at) as since, e.at is not null as freed
      from ${numbers} n left join ${ended} e on e.phone_number_id = n.id
      where not n.assigned) idle)`
  return await keep('idle_numbers', query)
}
