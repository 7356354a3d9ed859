import { type RawBuilder, sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { zonedDayStartMs, zonedInstant } from '../../src/core/time/zone.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { chart, section } from '../shared/blocks.ts'
import { instantOf } from '../shared/local-time.ts'
import { monthsUpTo } from '../shared/periods.ts'
import { queryRows, type Row, tableColumns, tableOf } from '../shared/query.ts'
import { firstReadMs, type NumberSource } from './source.ts'

/** Shows the numbers now and at the end of each month, for at most twelve months. */
export async function trendSection(source: NumberSource): Promise<Section> {
  const { db, timeZone } = source
  const momentsMs = await momentsOf(source)
  const counted = await queryRows<Counts>(db, countsOf(source, momentsMs))
  const rows = counted.map((counts) =>
    lineOf(counts, dayBefore(momentsMs[counts.i] ?? source.asOfMs, timeZone)),
  )
  const months = rows.length - 1
  const text =
    'Numbers at the end of each month since they were first read, for up to twelve months, and ' +
    `as of this inventory${months === 0 ? ' (no month has ended yet)' : ''}. A change counts ` +
    'from the run that found it.'
  const values = (name: 'numbers' | 'assigned') => rows.map((row) => row[name])
  return section(
    TITLE,
    text,
    chart('Numbers and assigned numbers', {
      type: 'line',
      valueFormat: 'integer',
      categories: rows.map(({ at }) => at),
      series: [
        { name: 'Numbers', tone: 'neutral', values: values('numbers') },
        { name: 'Assigned', tone: 'accent', values: values('assigned') },
      ],
    }),
    tableOf({ title: TITLE, columns: COLUMNS }, rows),
  )
}

interface Counts extends Row {
  i: number
  numbers: number
  assigned: number
  normal: number
  pending: number
  phone: number
  contact_center: number
  unallocated: number
}

function lineOf({ numbers, assigned, ...rest }: Counts, at: string) {
  const unassigned = numbers - assigned
  const share = numbers === 0 ? null : unassigned / numbers
  return { ...rest, at, numbers, assigned, unassigned, unassigned_share: share }
}

/** Returns the starts of the last months since the numbers were first read, and the inventory's moment. */
async function momentsOf(source: NumberSource): Promise<number[]> {
  const { asOfMs, timeZone } = source
  const fromMs = await firstReadMs(source)
  const month = zonedInstant(asOfMs, timeZone).slice(0, 7)
  const starts = monthsUpTo(month, MOST_MONTHS).map((one) => zonedDayStartMs(`${one}-01`, timeZone))
  return [...starts.filter((atMs) => atMs > fromMs && atMs < asOfMs), asOfMs]
}

/** Returns the previous day, because the start of a month is shown as the last day of the month before. */
function dayBefore(atMs: number, timeZone: string): string {
  return zonedInstant(atMs - 1, timeZone).slice(0, 10)
}

/**
 * Each version gets a mask with one bit per moment at which it was valid. The masks of a number's assignments
 * are merged. Few different masks remain, and counting these takes little time, however many versions exist.
 */
function countsOf({ versions }: NumberSource, momentsMs: readonly number[]): RawBuilder<unknown> {
  // The last moment is the present, when versions without an end are valid.
  const past = momentsMs.slice(0, -1).map(instantOf)
  const moments = sql`array[${sql.join([...past, sql`'infinity'::timestamptz`])}]`
  // Counts the moments before an instant.
  const place = (instant: RawBuilder<unknown>) =>
    sql`width_bucket(${instant} - interval '1 microsecond', ${moments})`
  const mask = (from: RawBuilder<unknown>, to: RawBuilder<unknown>) =>
    sql`((1 << coalesce(${place(to)}, ${momentsMs.length}::int)) - (1 << ${place(from)}))`
  const there = mask(sql`_valid_from`, sql`_valid_to`)
  const at = (name: string) => sql`(${sql.id(name)} >> i) & 1 = 1`
  return sql`
    with numbers as (
      select ${there} as mask, status, allocated_product as product, count(*) as n
      from ${versions(phoneNumbers)} v group by 1, 2, 3),
    held as materialized (
      select mask, count(*) as n from (
        select bit_or(${there}) as mask from ${versions(phoneNumberAssignments)} v
        group by phone_number_id) each group by mask)
    select i, coalesce(sum(n), 0)::int as numbers,
      coalesce((select sum(n) from held where ${at('mask')}), 0)::int as assigned,
      coalesce(sum(n) filter (where status = 'Normal'), 0)::int as normal,
      coalesce(sum(n) filter (where status = 'Pending'), 0)::int as pending,
      coalesce(sum(n) filter (where product = 'SVC_PHONE'), 0)::int as phone,
      coalesce(sum(n) filter (where product = 'SVC_CONTACT_CENTER'), 0)::int as contact_center,
      coalesce(sum(n) filter (where product = 'UNALLOCATED'), 0)::int as unallocated
    from generate_series(0, ${momentsMs.length - 1}::int) i left join numbers on ${at('mask')}
    group by i order by i`
}

const TITLE = 'Trend'
const MOST_MONTHS = 12
const COLUMNS = tableColumns([
  { name: 'at', title: 'Date', format: 'date' },
  { name: 'numbers', title: 'Numbers', format: 'integer' },
  { name: 'assigned', title: 'Assigned', format: 'integer' },
  { name: 'unassigned', title: 'Unassigned', format: 'integer' },
  { name: 'unassigned_share', title: 'Unassigned share', format: 'percent' },
  { name: 'normal', title: 'Normal', format: 'integer' },
  { name: 'pending', title: 'Pending', format: 'integer' },
  { name: 'phone', title: 'Phone', format: 'integer' },
  { name: 'contact_center', title: 'Contact center', format: 'integer' },
  { name: 'unallocated', title: 'Unallocated', format: 'integer' },
])
