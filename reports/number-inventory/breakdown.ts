import { type RawBuilder, sql } from 'kysely'
import type { Section, Table, TableColumn } from '../../src/core/report.ts'
import { queryTable } from '../shared/query.ts'
import type { NumberSource } from './source.ts'

const DIMENSIONS: readonly { title: string; value: RawBuilder<unknown>; unnest?: true }[] = [
  { title: 'Product', value: sql`allocated_product` },
  { title: 'Type', value: sql`number_type` },
  { title: 'Source', value: sql`source` },
  { title: 'Status', value: sql`status` },
  { title: 'Country', value: sql`location_country` },
  { title: 'Site', value: sql`coalesce(nullif(site_name, ''), site_id)` },
  { title: 'Carrier', value: sql`coalesce(nullif(carrier_name, ''), carrier_code::text)` },
  { title: 'SIP group', value: sql`coalesce(nullif(sip_group_name, ''), sip_group_id)` },
  { title: 'Capability', value: sql`capability`, unnest: true },
]

/** The stock cut in every way that people ask for; the same columns in every table. */
export async function breakdownSection(source: NumberSource): Promise<Section> {
  const tables: Table[] = []
  for (const dimension of DIMENSIONS) tables.push(await dimensionTable(source, dimension))
  const text =
    'A number with several capabilities counts under each of them, so these shares add up to more ' +
    'than 100 %. In every other table each number counts once.'
  return {
    title: 'Breakdown',
    blocks: [{ kind: 'note', tone: 'plain', text }, ...tables],
  }
}

function dimensionTable(
  { db, numbers }: NumberSource,
  { title, value, unnest }: (typeof DIMENSIONS)[number],
): Promise<Table> {
  const columns: TableColumn[] = [
    { name: 'value', title, format: 'text' },
    { name: 'numbers', title: 'Numbers', format: 'integer' },
    { name: 'share', title: 'Share', format: 'percent' },
    { name: 'assigned', title: 'Assigned', format: 'integer' },
    { name: 'unassigned', title: 'Unassigned', format: 'integer' },
    { name: 'unassigned_share', title: 'Unassigned share', format: 'percent' },
    { name: 'pending', title: 'Pending', format: 'integer' },
    { name: 'no_address', title: 'No emergency address', format: 'integer' },
  ]
  const cut =
    unnest === true
      ? sql`${numbers} n left join lateral unnest(${value}) as cut(value) on true`
      : sql`${numbers} n cross join lateral (select nullif(${value}, '') as value) cut`
  const query = sql`
    select coalesce(cut.value, '(none)') as value, count(*)::int as numbers,
      count(*)::float8 / nullif((select count(*) from ${numbers} every), 0) as share,
      count(*) filter (where assigned)::int as assigned,
      count(*) filter (where not assigned)::int as unassigned,
      count(*) filter (where not assigned)::float8 / count(*) as unassigned_share,
      count(*) filter (where status = 'Pending')::int as pending,
      count(*) filter (where not has_emergency_address)::int as no_address
    from ${cut} group by 1 order by 2 desc, 1`
  return queryTable(
    db,
    { title: `By ${title.replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase())}`, columns },
    query,
  )
}
