import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { ReportContext } from '../../src/core/report.ts'
import type { Stream } from '../../src/core/stream.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { users } from '../../src/resources/users.ts'

/** The numbers, each with what it is assigned to and what is wrong with it, as a relation for `from`. */
export interface NumberSource {
  db: QueryExecutorProvider
  timeZone: string
  numbers: RawBuilder<unknown>
  /** The same as the last inventory showed it. */
  previous: RawBuilder<unknown> | undefined
  previousAsOfMs: number | undefined
}

export function numberSource(context: ReportContext<unknown>): NumberSource {
  const { db, rows, previousRows, timeZone, previousAsOfMs } = context
  return {
    db,
    timeZone,
    numbers: numbersOf(rows),
    previous: previousRows === undefined ? undefined : numbersOf(previousRows),
    previousAsOfMs,
  }
}

/** An instant column as local date and time. */
export function localInstant(column: string, { timeZone }: NumberSource): RawBuilder<unknown> {
  const name = sql.ref(column)
  return sql`to_char(${name} at time zone ${timeZone}, 'YYYY-MM-DD"T"HH24:MI:SS')`
}

/**
 * An address whose every part is empty is no address. Only a user of the phone product has an
 * assignment that can be looked up: with the contact center `assigned_to_id` is a code.
 */
function numbersOf(rows: (stream: Stream) => RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select n.*, a.assignments, coalesce(a.assignments, 0) > 0 as assigned, a.assigned_to, a.assigned_types,
      a.extensions, coalesce(a.inactive_users, 0) > 0 as to_inactive_user,
      coalesce(e.present, false) as has_emergency_address, e.address as emergency_address_text,
      count(*) over (partition by n.number) > 1 and n.number is not null as duplicate
    from ${rows(phoneNumbers)} n
    left join (
      select p.phone_number_id, count(*)::int as assignments,
        string_agg(distinct nullif(p.assigned_to_name, ''), ', ') as assigned_to,
        string_agg(distinct nullif(p.assigned_to_type, ''), ', ') as assigned_types,
        string_agg(distinct nullif(p.extension_number, ''), ', ') as extensions,
        count(*) filter (where u.status = 'inactive')::int as inactive_users
      from ${rows(phoneNumberAssignments)} p
      left join ${rows(users)} u on p.assigned_to_type = 'User' and u.id = p.assigned_to_id
      group by p.phone_number_id) a on a.phone_number_id = n.id
    left join lateral (
      select count(*) > 0 as present,
        string_agg(part.value, ', ' order by array_position(array['address_line1', 'address_line2',
          'zip', 'city', 'county', 'state_code', 'country'], part.key)) as address
      from jsonb_each_text(case when jsonb_typeof(n.emergency_address) = 'object'
        then n.emergency_address else '{}' end) part
      where btrim(part.value) <> '') e on true)`
}
