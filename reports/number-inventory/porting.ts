import { type RawBuilder, sql } from 'kysely'
import type { Note } from '../../src/core/define/report.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { counted } from '../../src/core/values/quantities.ts'
import { portedOrders } from '../../src/resources/number-settings.ts'
import { portedOrderDetails } from '../../src/resources/ported-order-details.ts'
import { finding, neverRead, note, type ReportPart, section } from '../shared/blocks.ts'
import { instantOf, localInstant } from '../shared/local-time.ts'
import { cursorTable, queryRows, type Row, tableColumns, tableOf } from '../shared/query.ts'
import { type NumberSource, unreadSection } from './source.ts'

/** Counts orders of ported numbers, and lists those that need attention, rejected and overdue ones first. */
export async function portingSection(source: NumberSource): Promise<ReportPart> {
  const { db, runId, keep } = source
  if (runId(portedOrders) === undefined)
    return unreadSection(TITLE, { what: 'The porting orders', job: 'number-settings' })
  const dated = runId(portedOrderDetails) !== undefined
  const orders = await keep('ported', sql<object>`(${ordersOf(source)})`)
  const states = await queryRows<OrderState>(
    db,
    sql`
    select coalesce(status, '(none)') as status, count(*)::int as orders,
      coalesce(sum(numbers), 0)::int as numbers, count(*) filter (where overdue)::int as overdue,
      coalesce(sum(missing), 0)::int as missing
    from ${orders} o group by status order by min(rank), 1`,
  )
  const none = 'There are no orders.'
  const text =
    'Orders that need attention: rejected ones first, then overdue, then other open ones, and ' +
    'last completed orders with numbers that are not in the account; within each group the ' +
    'oldest first. An open order is overdue after the date that the customer requested or, if ' +
    `that date is unknown, ${PORTING_DAYS} days after it was submitted. The service does not ` +
    'report why an order was rejected.'
  const so = 'orders count as overdue by their age alone'
  const unknown = neverRead('Requested dates were', { job: 'number-details', so })
  const list = sql`select * from ${orders} o where open or rejected or (done and missing > 0)
    order by rank, submission_date_time nulls last, order_id`
  const empty = 'No order is open, rejected or missing numbers.'
  const sheet = section(
    TITLE,
    text,
    ...(dated ? [] : [note('warning', unknown)]),
    tableOf({ title: 'Orders by status', columns: STATES, empty: none }, states),
    cursorTable(db, { title: 'Orders that need attention', columns: ORDERS, empty }, list),
  )
  return { ...sheet, finding: stuck(states) }
}

interface OrderState extends Row {
  status: string
  orders: number
  numbers: number
  overdue: number
  missing: number
}

function stuck(states: readonly OrderState[]): Note | undefined {
  const sum = (of: (state: OrderState) => number): number =>
    states.reduce((total, state) => total + of(state), 0)
  const rejected = sum(({ status, orders }) => (status === 'Rejected' ? orders : 0))
  const overdue = sum((state) => state.overdue)
  const parts = [
    ...(rejected === 0 ? [] : [`${counted(rejected, 'porting order')} rejected`]),
    ...(overdue === 0 ? [] : [`${counted(overdue, 'porting order')} overdue`]),
  ]
  return parts.length === 0 ? undefined : finding(`${parts.join(', ')}: contact the carrier.`)
}

/** Raw SQL, because it counts inside lists. A missing or unknown status counts as open. */
function ordersOf(source: NumberSource): RawBuilder<unknown> {
  const { rows, numbers, asOfMs, timeZone } = source
  const today = zonedInstant(asOfMs, timeZone).slice(0, 10)
  const asked = sql`(case when customer_requested_date ~ '^\\d{4}-\\d{2}-\\d{2}'
    then left(customer_requested_date, 10) end)`
  const late = sql`case when ${asked} is not null then ${asked} < ${today}
    else submission_date_time < ${instantOf(asOfMs - PORTING_DAYS * DAY_MS)} end`
  return sql`
    with orders as (
      select o.order_id, o.status, o.submission_date_time, o.numbers as listed, ${asked} as requested,
        coalesce(o.status = 'Rejected', false) as rejected,
        coalesce(o.status = 'Successfully', false) as done,
        coalesce(o.status not in ('Rejected', 'Successfully', 'Canceled'), true) as open,
        ${late} as late
      from ${rows(portedOrders)} o left join ${rows(portedOrderDetails)} d using (order_id)),
    missing as (
      select t.order_id, count(*)::int as missing from orders t cross join unnest(t.listed) one(number)
      where not exists (select from ${numbers} n where n.number = one.number) group by t.order_id)
    select t.order_id, t.status, t.requested, t.submission_date_time, t.rejected, t.done, t.open,
      t.open and coalesce(t.late, false) as overdue,
      ${localInstant(sql`t.submission_date_time`, timeZone)} as submitted,
      floor(extract(epoch from ${instantOf(asOfMs)} - t.submission_date_time) / 86400)::int as age,
      coalesce(cardinality(t.listed), 0) as numbers, array_to_string(t.listed, ', ') as number_list,
      coalesce(m.missing, 0) as missing,
      case when t.rejected then 1 when t.open and t.late then 2 when t.open then 3 when t.done then 4
        else 5 end as rank
    from orders t left join missing m using (order_id)`
}

const TITLE = 'Porting'
const STATES = tableColumns([
  { name: 'status', title: 'Status', format: 'text', coded: 'service' },
  { name: 'orders', title: 'Orders', format: 'integer' },
  { name: 'numbers', title: 'Numbers', format: 'integer' },
  { name: 'overdue', title: 'Overdue', format: 'integer' },
  { name: 'missing', title: 'Numbers not in the account', format: 'integer' },
])
const ORDERS = tableColumns([
  { name: 'order_id', title: 'Order', format: 'text' },
  { name: 'status', title: 'Status', format: 'text', coded: 'service' },
  { name: 'overdue', title: 'Overdue', format: 'boolean' },
  { name: 'requested', title: 'Requested date', format: 'date' },
  { name: 'submitted', title: 'Submitted', format: 'instant' },
  { name: 'age', title: 'Age in days', format: 'integer' },
  { name: 'numbers', title: 'Numbers', format: 'integer' },
  { name: 'missing', title: 'Not in the account', format: 'integer' },
  { name: 'number_list', title: 'Number list', format: 'text' },
])

/** An open order without a requested date is overdue this many days after it was submitted. */
const PORTING_DAYS = 30
