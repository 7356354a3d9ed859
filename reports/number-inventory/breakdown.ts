import { type RawBuilder, sql } from 'kysely'
import type { ChartBlock, Section, TableColumn } from '../../src/core/define/report.ts'
import type { Coded } from '../../src/core/values/code-words.ts'
import { chart, section } from '../shared/blocks.ts'
import { largestBars, omittedText } from '../shared/largest-bars.ts'
import { queryRows, type Row, tableOf } from '../shared/query.ts'
import type { NumberSource } from './source.ts'

/** `values`: an array of the values under which a number counts. Only capabilities can be several. */
const DIMENSIONS: readonly Dimension[] = [
  { title: 'Product', values: sql`array[allocated_product]`, coded: 'service' },
  { title: 'Type', values: sql`array[number_type]`, coded: 'service' },
  { title: 'Source', values: sql`array[source]`, coded: 'service' },
  { title: 'Status', values: sql`array[status]`, coded: 'service' },
  { title: 'Country', values: sql`array[location_country]`, coded: 'country' },
  { title: 'Site', values: sql`array[coalesce(nullif(site_name, ''), site_id)]` },
  { title: 'Carrier', values: sql`array[coalesce(nullif(carrier_name, ''), carrier_code::text)]` },
  { title: 'SIP group', values: sql`array[coalesce(nullif(sip_group_name, ''), sip_group_id)]` },
  { title: 'Capability', values: sql`capability`, coded: 'service' },
]

interface Dimension {
  title: string
  values: RawBuilder<unknown>
  /** The kind of codes that the values are; undefined if they are plain text. */
  coded?: Coded
}

const CHARTED: ReadonlySet<string> = new Set(['Product', 'Type', 'Country'])

/** The word for numbers without a value. */
export const NONE = '(none)'

/** The dimension that has one row with the counts of all numbers. */
export const TOTAL = 'Total'

// Raw SQL, because the query is a union of one grouping per dimension over one set of rows.
const CUT_BY = sql`allocated_product, number_type, source, status, location_country, site_name, site_id,
  carrier_name, carrier_code, sip_group_name, sip_group_id, capability`
const FLAGS = sql`assigned, duplicate, no_address, to_inactive_user, pending, update_required`

/** Counts of the numbers in each dimension, by the dimension's title. The most frequent values come first. */
export type Breakdown = ReadonlyMap<string, readonly Row[]>

/** Counts the numbers in all dimensions, and the totals. */
export function readBreakdown(source: NumberSource): Promise<Breakdown> {
  return readStock(source, source.numbers, DIMENSIONS)
}

export function readTotals(
  source: NumberSource,
  numbers: NumberSource['numbers'],
): Promise<Breakdown> {
  return readStock(source, numbers, [])
}

/**
 * First counts the numbers that have the same values in all dimensions, then adds up these few counts.
 * Counting each number in each dimension would take several times as long.
 */
async function readStock(
  { db }: NumberSource,
  numbers: NumberSource['numbers'],
  cuts: typeof DIMENSIONS,
): Promise<Breakdown> {
  const counted = [{ title: TOTAL, values: sql`array['all']` }, ...cuts].map(
    ({
      title,
      values,
    }) => sql`select ${title}::text as dimension, ${values}::text[] as cut, ${FLAGS},
      sum(n) as n from stock group by cut, ${FLAGS}`,
  )
  const count = (condition: RawBuilder<unknown>) =>
    sql`coalesce(sum(n) filter (where ${condition}), 0)::int`
  const query = sql`
    with stock as materialized (
      select ${CUT_BY}, ${FLAGS}, count(*) as n
      from (
        select n.*, coalesce(status = 'Pending', false) as pending,
          can_call_emergency and emergency_address_text is null as no_address,
          can_call_emergency and coalesce(address_update_required, false) as update_required
        from ${numbers} n) n
      group by ${CUT_BY}, ${FLAGS}),
    counted as (${sql.join(counted, sql` union all `)})
    select dimension, coalesce(nullif(value, ''), ${NONE}) as value, sum(n)::int as numbers,
      sum(n)::float8 / (select sum(n) from stock) as share,
      ${count(sql`assigned`)} as assigned, ${count(sql`not assigned`)} as unassigned,
      ${count(sql`not assigned`)}::float8 / sum(n) as unassigned_share,
      ${count(sql`pending`)} as pending,
      ${count(sql`no_address`)} as no_address,
      ${count(sql`no_address and assigned`)} as no_address_in_use,
      ${count(sql`update_required`)} as update_required,
      ${count(sql`duplicate`)} as duplicates, ${count(sql`to_inactive_user`)} as to_inactive_users
    from counted left join lateral unnest(cut) as cut(value) on true
    group by 1, 2 order by 3 desc, 2`
  const rows = await queryRows(db, query)
  return Map.groupBy(rows, ({ dimension }) => String(dimension))
}

export function breakdownSection(breakdown: Breakdown): Section {
  const text =
    'Each table counts the numbers by one property, the most frequent values first. A number ' +
    'with several capabilities counts under each of them, so the shares of that table add up ' +
    'to more than 100 %. In all other tables each number counts once. “No emergency address” ' +
    'counts only numbers that can make emergency calls.'
  const tables = DIMENSIONS.map(({ title, coded }) => {
    const columns = columnsFor(title, coded)
    const lower = title.startsWith('SIP') ? title : title.toLowerCase()
    return tableOf({ title: `By ${lower}`, columns }, breakdown.get(title) ?? [])
  })
  const charts = DIMENSIONS.filter(({ title }) => CHARTED.has(title)).map(({ title, coded }) =>
    stackedChart(`Numbers by ${title.toLowerCase()}`, breakdown.get(title), { coded }),
  )
  return section('Breakdown', text, ...charts, ...tables)
}

function columnsFor(title: string, coded?: Coded): TableColumn[] {
  return [
    { name: 'value', title, format: 'text', ...(coded && { coded }) },
    { name: 'numbers', title: 'Numbers', format: 'integer' },
    { name: 'share', title: 'Share', format: 'percent' },
    { name: 'assigned', title: 'Assigned', format: 'integer' },
    { name: 'unassigned', title: 'Unassigned', format: 'integer' },
    { name: 'unassigned_share', title: 'Unassigned share', format: 'percent' },
    { name: 'pending', title: 'Pending', format: 'integer' },
    { name: 'no_address', title: 'No emergency address', format: 'integer' },
  ]
}

/** Charts one dimension: its most frequent values; the rest is one bar, or omitted (see `largestBars`). */
export function stackedChart(
  title: string,
  rows: readonly Row[] = [],
  { width = 'half', coded }: { width?: ChartBlock['width']; coded?: Coded | undefined } = {},
): ChartBlock {
  const chosen = largestBars(rows, ({ numbers }) => Number(numbers))
  const { shown, others } = chosen
  const total = (name: string): number =>
    others.reduce((sum, row) => sum + Number(row[name] ?? 0), 0)
  const rest = { value: 'others', assigned: total('assigned'), unassigned: total('unassigned') }
  const bars: readonly Row[] = others.length > 0 ? [...shown, rest] : shown
  const values = (name: string) => bars.map((row) => Number(row[name] ?? 0))
  const bar = chart(
    `${title}${omittedText(chosen)}`,
    {
      type: 'stacked-bar',
      valueFormat: 'integer',
      categories: bars.map((row) => String(row.value)),
      coded,
      series: [
        { name: 'Assigned', tone: 'accent', values: values('assigned') },
        { name: 'Unassigned', tone: 'neutral', values: values('unassigned') },
      ],
    },
    width,
  )
  return { ...bar, file: title }
}
