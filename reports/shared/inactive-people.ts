import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { ReportContext } from '../../src/core/define/report.ts'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { users } from '../../src/resources/users.ts'
import { filled } from './expressions.ts'
import { instantOf, localInstant } from './local-time.ts'
import { numberPrice } from './number-price.ts'
import { tableColumns } from './query.ts'

/** The setting for the days without a login. */
export const inactiveDays = () =>
  z
    .int()
    .min(1)
    .max(3_650)
    .default(90)
    .describe('After how many days without a login a person is listed.')

/** A person who left or has not logged in for some days, or for whom this is unknown. */
export interface InactivePerson {
  id: string
  name: string | null
  email: string | null
  dept: string | null
  type: number | null
  reason: string
  /** Whether the account's data shows that the person left or is away. */
  known: boolean
  last_login: string | null
  idle_days: number | null
}

/** A number that is assigned to a user. */
interface HeldNumber {
  user_id: string
  name: string | null
  number_id: string
  number: string | null
  /** The monthly price; null if no price is known. */
  price: number | null
}

type Context = Pick<
  ReportContext<unknown, typeof users | typeof phoneNumbers | typeof phoneNumberAssignments>,
  'rows' | 'goneRows' | 'asOfMs' | 'timeZone'
>

/**
 * Returns people who were deleted or deactivated, or have not logged in for `days` days, and those for whom
 * this is unknown: invited, without a recorded login, or not in the list of users. Raw SQL, for the unions.
 */
export function inactivePeople(
  { rows, goneRows, asOfMs, timeZone }: Context,
  { days, holders }: { days: number; holders: RawBuilder<unknown> },
): RawBuilder<InactivePerson> {
  const idle = sql`case when last_login_time is not null then
    greatest(0, floor(extract(epoch from ${instantOf(asOfMs)} - last_login_time) / 86400))::int end`
  const person = sql`id, coalesce(${filled(sql`display_name`)},
      nullif(concat_ws(' ', ${filled(sql`first_name`)}, ${filled(sql`last_name`)}), '')) as name,
    email, ${filled(sql`dept`)} as dept`
  const login = sql`${localInstant(sql`last_login_time`, timeZone)} as last_login, ${idle} as idle_days`
  return sql`(
    select p.*, reason = any(${[...LEFT, awayText(days)]}::text[]) as known from (
      select ${person}, type, ${login}, case
        when status = 'inactive' then ${DEACTIVATED}
        when status = 'pending' then 'invited, not joined yet'
        when last_login_time is null then 'no login on record'
        when ${idle} >= ${days}::int then ${awayText(days)} end as reason
      from ${rows(users)} u
      union all
      select ${person}, null, ${login}, ${DELETED} from ${goneRows(users)} u
      union all
      select h.id, max(h.name), null, null, null, null, null, 'not in the list of users'
      from (${holders}) h where h.id <> ''
        and not exists (select from ${rows(users)} l where l.id = h.id)
        and not exists (select from ${goneRows(users)} g where g.id = h.id)
      group by h.id) p
    where reason is not null)`
}

/** Returns each number with each user to whom it is assigned. */
export function heldNumbers(
  { rows }: Context,
  prices: Parameters<typeof numberPrice>[0],
): RawBuilder<HeldNumber> {
  return sql`(
    select p.assigned_to_id as user_id, max(p.assigned_to_name) as name, n.id as number_id, n.number,
      ${numberPrice(prices)} as price
    from ${rows(phoneNumberAssignments)} p join ${rows(phoneNumbers)} n on n.id = p.phone_number_id
    where p.assigned_to_type = 'User' and p.assigned_to_id <> ''
    group by p.assigned_to_id, n.id, n.number, n.location_country, n.number_type)`
}

/** Returns the numbers of each user, with the cost of those that have a price. */
export function numbersByUser(held: Relation<HeldNumber>): RawBuilder<unknown> {
  return sql`(
    select user_id, count(*)::int as numbers, sum(price)::float8 as cost,
      count(*) filter (where price is null)::int as unpriced,
      case when count(*) <= ${MOST_LISTED} then string_agg(number, ', ' order by number)
        else ${`more than ${MOST_LISTED}`}::text end as number_list
    from ${held} h group by user_id)`
}

export function awayText(days: number): string {
  return days === 1 ? 'no login for 1 day' : `no login for ${days} days`
}

/** The columns that show who somebody is, and why they are listed. */
export const PERSON_COLUMNS = tableColumns([
  { name: 'name', title: 'Person', format: 'text' },
  { name: 'email', title: 'E-mail', format: 'text' },
  { name: 'dept', title: 'Department', format: 'text' },
  { name: 'reason', title: 'Reason', format: 'text' },
  { name: 'last_login', title: 'Last login', format: 'instant' },
  { name: 'idle_days', title: 'Days since', format: 'integer' },
])

const DELETED = 'deleted from the account'
const DEACTIVATED = 'deactivated'
const LEFT = [DELETED, DEACTIVATED]
const MOST_LISTED = 50
