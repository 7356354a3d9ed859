import { sql } from 'kysely'
import type { Note } from '../../src/core/define/report.ts'
import { counted } from '../../src/core/values/quantities.ts'
import { finding } from '../shared/blocks.ts'
import { queryRows } from '../shared/query.ts'
import type { NumberSource } from './source.ts'

/** How many numbers in use lost their emergency address, or emergency calls, since the last inventory. */
export interface EmergencyLosses {
  lost_address: number
  lost_calls: number
}

export async function emergencyLosses({
  db,
  numbers,
  previous,
}: NumberSource): Promise<EmergencyLosses> {
  if (previous === undefined) return { lost_address: 0, lost_calls: 0 }
  const [row] = await queryRows(
    db,
    sql`select
        count(*) filter (where n.can_call_emergency and n.emergency_address_text is null
          and p.emergency_address_text is not null)::int as lost_address,
        count(*) filter (where p.can_call_emergency and not n.can_call_emergency)::int as lost_calls
      from ${numbers} n join ${previous} p on p.id = n.id where n.assigned`,
  )
  return { lost_address: Number(row?.lost_address ?? 0), lost_calls: Number(row?.lost_calls ?? 0) }
}

/** Says how many numbers can no longer make emergency calls; nothing if there are none. */
export function lostCallsNotes({ lost_calls: lost }: EmergencyLosses): Note[] {
  if (lost === 0) return []
  const text =
    `${counted(lost, 'number')} in use could make emergency calls in the last inventory and no longer ` +
    'can: restore that, or tell the people who use it.'
  return [{ ...finding(text), link: 'Changes' }]
}
