import { type Kysely, sql } from 'kysely'
import type { ReportContext, Section } from '../../src/core/define/report.ts'
import type { ReportLedgers } from '../../src/core/define/report-ledgers.ts'
import type { Relation, RowsOf } from '../../src/core/define/stream-row.ts'
import type { portedOrders, sipGroups, sipTrunks } from '../../src/resources/number-settings.ts'
import type { peeringNumbers } from '../../src/resources/peering-numbers.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import type { portedOrderDetails } from '../../src/resources/ported-order-details.ts'
import type { smsConsentDetails } from '../../src/resources/sms-consent-details.ts'
import type { smsConsentNumbers, smsConsents } from '../../src/resources/sms-consents.ts'
import type { userDetails } from '../../src/resources/user-details.ts'
import { users } from '../../src/resources/users.ts'
import { neverRead, note } from '../shared/blocks.ts'
import { constant, type Text } from '../shared/expressions.ts'
import { type RowIn, tableColumns } from '../shared/query.ts'
import type { InventorySettings } from './settings.ts'

/** The report's data: the context, and the numbers with their assignments and problems. */
export interface NumberSource extends InventoryContext {
  numbers: Relation<NumberRow>
  /** The numbers as of the previous inventory; undefined if there is none. */
  previous: Relation<NumberRow> | undefined
}

export type NumberRow = RowIn<ReturnType<typeof numbersOf>>
type InventoryContext = ReportContext<unknown, InventoryStreams, InventorySettings>
type Numbers = typeof phoneNumbers | typeof phoneNumberAssignments | typeof users
export type InventoryStreams =
  | Numbers
  | typeof userDetails
  | typeof sipGroups
  | typeof sipTrunks
  | typeof peeringNumbers
  | typeof portedOrders
  | typeof portedOrderDetails
  | typeof smsConsents
  | typeof smsConsentNumbers
  | typeof smsConsentDetails

/** Stores the numbers, because most sheets use them and building them takes longer than reading them. */
export async function numberSource(context: InventoryContext): Promise<NumberSource> {
  const { db, rows, previousRows: before, keep } = context
  return {
    ...context,
    numbers: await keep('numbers', numbersOf(db, rows)),
    previous: before && (await keep('previous_numbers', numbersOf(db, before))),
  }
}

function numbersOf(db: Kysely<ReportLedgers>, rows: RowsOf<Numbers>) {
  const twice = db
    .selectFrom(rows(phoneNumbers).as('d'))
    .select('d.number')
    .groupBy('d.number')
    .having(({ fn }) => fn.countAll(), '>', 1)
  return db
    .selectFrom(rows(phoneNumbers).as('n'))
    .leftJoin(assignmentsOf(db, rows).as('a'), 'a.phone_number_id', 'n.id')
    .selectAll('n')
    .select(['a.assigned_to', 'a.assigned_types', 'a.extensions'])
    .select(({ eb, fn, lit }) => [
      eb('a.phone_number_id', 'is not', null).as('assigned'),
      eb(fn.coalesce('a.inactive_users', lit(0)), '>', 0).as('to_inactive_user'),
      ADDRESS.as('emergency_address_text'),
      CAN_CALL_EMERGENCY.as('can_call_emergency'),
      fn.coalesce(eb('n.number', 'in', twice), lit(false)).as('duplicate'),
    ])
}

/** Looks up users only for the type `User`, because in the contact center `assigned_to_id` is a code. */
function assignmentsOf(db: Kysely<ReportLedgers>, rows: RowsOf<Numbers>) {
  const inactive = db
    .selectFrom(rows(users).as('a'))
    .select('a.id')
    .where('a.status', '=', 'inactive')
  const listed = (column: Text) =>
    sql<string | null>`string_agg(distinct nullif(${column}, ''), ', ')`
  return db
    .selectFrom(rows(phoneNumberAssignments).as('p'))
    .leftJoin(inactive.as('u'), (join) =>
      join.on('p.assigned_to_type', '=', 'User').onRef('u.id', '=', 'p.assigned_to_id'),
    )
    .select('p.phone_number_id')
    .select(({ ref }) => [
      listed(ref('p.assigned_to_name')).as('assigned_to'),
      listed(ref('p.assigned_to_type')).as('assigned_types'),
      listed(ref('p.extension_number')).as('extensions'),
      sql<number>`count(${ref('u.id')})::int`.as('inactive_users'),
    ])
    .groupBy('p.phone_number_id')
}

/** By the documents, a number can call emergency services if its capabilities include `EmergencyCalls`. */
const CAN_CALL_EMERGENCY = sql<boolean>`coalesce('EmergencyCalls' = any(n.capability), false)`

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
 * Joins the parts of an address in the usual order; null if all parts are empty, which means no address.
 * Unknown parts come last, and take ten times as long.
 */
const ADDRESS = sql<string | null>`case when jsonb_typeof(n.emergency_address) = 'object' then
  case when n.emergency_address - ${PARTS}::text[] = '{}'
    then nullif(concat_ws(', ', ${sql.join(PARTS.map(part))}), '')
    else (select string_agg(part.value, ', ' order by array_position(${PARTS}::text[], part.key), part.key)
      from jsonb_each_text(n.emergency_address) part where btrim(part.value) <> '') end end`

/** The first columns of most lists of numbers. */
export const NUMBER_COLUMNS = tableColumns([
  { name: 'number', title: 'Number', format: 'text' },
  { name: 'allocated_product', title: 'Product', format: 'text', coded: 'service' },
  { name: 'number_type', title: 'Type', format: 'text', coded: 'service' },
  { name: 'status', title: 'Status', format: 'text', coded: 'service' },
  { name: 'location_country', title: 'Country', format: 'text', coded: 'country' },
  { name: 'site_name', title: 'Site', format: 'text' },
])

export const ID_COLUMN = { name: 'id', title: 'ID', format: 'text' } as const

/** Returns a placeholder for a sheet whose stream was never read. */
export function unreadSection(
  title: string,
  { what, job }: { what: string; job: string },
): Section {
  return { title, blocks: [note('warning', neverRead(`${what} were`, { job }))] }
}

/** Returns when a run had first read all numbers, by the ledger; `asOfMs` if it shows no such run. */
export async function firstReadMs({ db, account, asOfMs }: NumberSource): Promise<number> {
  const { at } = await db
    .selectFrom('callsheet.slices')
    .select(({ fn }) => fn.min<string | null>('finished_at').as('at'))
    .where('account', '=', account)
    .where('stream', '=', phoneNumbers.name)
    .where('state', '=', 'complete')
    .executeTakeFirstOrThrow()
  return at === null ? asOfMs : Math.min(asOfMs, Date.parse(at))
}
