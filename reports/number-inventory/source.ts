import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import type { ReportContext } from '../../src/core/declare/report.ts'
import type { Stream } from '../../src/core/declare/stream.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { users } from '../../src/resources/users.ts'
import { constant } from '../shared/constant.ts'

/** The numbers, each with what it is assigned to and what is wrong with it, as a relation for `from`. */
export interface NumberSource {
  db: QueryExecutorProvider
  timeZone: string
  numbers: RawBuilder<unknown>
  /** The same as the last inventory showed it. */
  previous: RawBuilder<unknown> | undefined
  previousAsOfMs: number | undefined
}

/** Most sheets ask for the numbers, and to put them together takes longer than to read them. */
export async function numberSource(context: ReportContext<unknown>): Promise<NumberSource> {
  const { db, rows, previousRows, keep, timeZone, previousAsOfMs } = context
  return {
    db,
    timeZone,
    numbers: await keep('numbers', numbersOf(rows)),
    previous:
      previousRows === undefined
        ? undefined
        : await keep('previous_numbers', numbersOf(previousRows)),
    previousAsOfMs,
  }
}

/** An instant column as local date and time. */
export function localInstant(column: string, { timeZone }: NumberSource): RawBuilder<unknown> {
  const name = sql.ref(column)
  return sql`to_char(${name} at time zone ${timeZone}, 'YYYY-MM-DD"T"HH24:MI:SS')`
}

/**
 * Only a user of the phone product has an assignment that can be looked up: with the contact center
 * `assigned_to_id` is a code.
 */
function numbersOf(rows: (stream: Stream) => RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select n.*, a.phone_number_id is not null as assigned, a.assigned_to, a.assigned_types,
      a.extensions, coalesce(a.inactive_users, 0) > 0 as to_inactive_user,
      ${ADDRESS} is not null as has_emergency_address, ${ADDRESS} as emergency_address_text,
      coalesce(n.number in (select number from ${rows(phoneNumbers)} d
        group by number having count(*) > 1), false) as duplicate
    from ${rows(phoneNumbers)} n
    left join (
      select p.phone_number_id,
        string_agg(distinct nullif(p.assigned_to_name, ''), ', ') as assigned_to,
        string_agg(distinct nullif(p.assigned_to_type, ''), ', ') as assigned_types,
        string_agg(distinct nullif(p.extension_number, ''), ', ') as extensions,
        count(u.id)::int as inactive_users
      from ${rows(phoneNumberAssignments)} p
      left join (select id from ${rows(users)} a where status = 'inactive') u
        on p.assigned_to_type = 'User' and u.id = p.assigned_to_id
      group by p.phone_number_id) a on a.phone_number_id = n.id`
}

const PARTS = [
  'address_line1',
  'address_line2',
  'zip',
  'city',
  'county',
  'state_code',
  'country',
] as const

const part = (
  name: (typeof PARTS)[number],
) => sql`case when btrim(n.emergency_address ->> ${constant(name)}) <> ''
  then n.emergency_address ->> ${constant(name)} end`

/**
 * The parts of an address in the order in which people write them; null when every part is empty, which is
 * no address. Parts that nobody knows yet come last, by a way that is ten times slower.
 */
const ADDRESS = sql`case when jsonb_typeof(n.emergency_address) = 'object' then
  case when n.emergency_address - ${PARTS}::text[] = '{}'
    then nullif(concat_ws(', ', ${sql.join(PARTS.map(part))}), '')
    else (select string_agg(part.value, ', ' order by array_position(${PARTS}::text[], part.key), part.key)
      from jsonb_each_text(n.emergency_address) part where btrim(part.value) <> '') end end`
