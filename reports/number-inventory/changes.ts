import { type RawBuilder, sql } from 'kysely'
import type { Section, TableColumn } from '../../src/core/report.ts'
import { zonedInstant } from '../../src/core/zone.ts'
import { cursorTable } from '../shared/query.ts'
import { NUMBER_COLUMNS } from './columns.ts'
import type { NumberSource } from './source.ts'

/** The fields whose change is told, and how people call them. */
const COMPARED = [
  ['number', 'number'],
  ['allocated_product', 'product'],
  ['number_type', 'type'],
  ['source', 'source'],
  ['status', 'status'],
  ['display_name', 'name'],
  ['assigned_to', 'assigned to'],
  ['assigned_types', 'assigned as'],
  ['capability', 'capability'],
  ['carrier_name', 'carrier'],
  ['emergency_address_text', 'emergency address'],
  ['address_update_required', 'address update required'],
  ['site_name', 'site'],
  ['sip_group_name', 'SIP group'],
] as const

/**
 * What was added, removed and changed since the inventory before: both are read from the kept
 * record.
 */
export function changesSection(source: NumberSource): Section {
  const title = 'Changes'
  const { db, previous, previousAsOfMs, timeZone } = source
  if (previous === undefined || previousAsOfMs === undefined) {
    const text = 'This is the first inventory, so there is nothing to compare it with.'
    return { title, blocks: [{ kind: 'note', tone: 'plain', text }] }
  }
  const before = zonedInstant(previousAsOfMs, timeZone).slice(0, 16).replace('T', ' ')
  const columns: TableColumn[] = [
    { name: 'change', title: 'Change', format: 'text' },
    ...NUMBER_COLUMNS,
    { name: 'assigned_to', title: 'Assigned to', format: 'text' },
    { name: 'details', title: 'What changed', format: 'text' },
    { name: 'id', title: 'ID', format: 'text' },
  ]
  const empty = 'Nothing has changed.'
  return {
    title,
    blocks: [
      { kind: 'note', tone: 'plain', text: `Against the inventory as of ${before}.` },
      cursorTable(db, { title, columns, empty }, changesQuery(source.numbers, previous)),
    ],
  }
}

/** Numbers of each kind of change, for the summary. */
export function changeCounts(
  numbers: RawBuilder<unknown>,
  previous: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`select count(*) filter (where change = 'added')::int as added,
      count(*) filter (where change = 'removed')::int as removed,
      count(*) filter (where change = 'changed')::int as changed
    from (${changesQuery(numbers, previous)}) c`
}

function changesQuery(
  numbers: RawBuilder<unknown>,
  previous: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const shown = [...NUMBER_COLUMNS.map(({ name }) => name), 'assigned_to', 'id'].map(
    (name) => sql`coalesce(${sql.id('n', name)}, ${sql.id('p', name)}) as ${sql.id(name)}`,
  )
  const details = COMPARED.map(([name, label]) => {
    const [now, before] = [sql.id('n', name), sql.id('p', name)]
    const text = (value: RawBuilder<unknown>) => sql`coalesce(nullif(${value}::text, ''), 'none')`
    return sql`case when ${now} is distinct from ${before}
      then ${`${label}: `}::text || ${text(before)} || ' → ' || ${text(now)} end`
  })
  const differs = COMPARED.map(
    ([name]) => sql`${sql.id('n', name)} is distinct from ${sql.id('p', name)}`,
  )
  return sql`
    select case when p.id is null then 'added' when n.id is null then 'removed' else 'changed' end
        as change,
      ${sql.join(shown)},
      case when p.id is not null and n.id is not null
        then concat_ws('; ', ${sql.join(details)}) end as details
    from ${numbers} n full join ${previous} p on p.id = n.id
    where p.id is null or n.id is null or ${sql.join(differs, sql` or `)}
    order by 1, coalesce(n.number, p.number), coalesce(n.id, p.id)`
}
