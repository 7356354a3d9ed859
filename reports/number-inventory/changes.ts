import { type RawBuilder, sql } from 'kysely'
import type { Section, Table, TableColumn } from '../../src/core/define/report.ts'
import { toMinutes } from '../../src/core/time/time.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { section } from '../shared/blocks.ts'
import { CursorRows } from '../shared/cursor-rows.ts'
import { NUMBER_COLUMNS, type NumberRow, type NumberSource } from './source.ts'

type Compared = readonly [column: keyof NumberRow, label: string, form?: 'list' | 'yes-no']

const COMPARED: readonly Compared[] = [
  ['number', 'number'],
  ['allocated_product', 'product'],
  ['number_type', 'type'],
  ['source', 'source'],
  ['status', 'status'],
  ['display_name', 'name'],
  ['assigned_to', 'assigned to'],
  ['assigned_types', 'assigned as'],
  ['extensions', 'extension'],
  ['capability', 'capability', 'list'],
  ['carrier_name', 'carrier'],
  ['emergency_address_text', 'emergency address'],
  ['address_update_required', 'address needs an update', 'yes-no'],
  ['site_name', 'site'],
  ['location_country', 'country'],
  ['location_city', 'city'],
  ['location_state', 'state'],
  ['sip_group_name', 'SIP group'],
]

/** Numbers that were added, removed or changed since the previous inventory, with counts. */
export interface InventoryChanges {
  table: Table
  /** How many numbers were added, removed and changed. */
  counts: Readonly<Record<(typeof KINDS)[number], number>>
}

/**
 * Compares both inventories with one query. Each of its rows also contains the counts, so that no second
 * query needs to count. Returns undefined if there is no previous inventory.
 */
export async function readChanges({
  db,
  numbers,
  previous,
}: NumberSource): Promise<InventoryChanges | undefined> {
  if (previous === undefined) return undefined
  const shown = COLUMNS.map(({ name }) => name)
  const rows = new CursorRows(db, {
    name: TITLE,
    columns: [...shown, ...KINDS],
    query: changesQuery(numbers, previous),
  })
  const [first = []] = await rows.first(1)
  const countOf = (kind: (typeof KINDS)[number]): number =>
    Number(first[shown.length + KINDS.indexOf(kind)] ?? 0)
  return {
    table: { kind: 'table', title: TITLE, columns: COLUMNS, rows, empty: 'Nothing has changed.' },
    counts: { added: countOf('added'), removed: countOf('removed'), changed: countOf('changed') },
  }
}

export function changesSection(
  source: NumberSource,
  changes: InventoryChanges | undefined,
): Section {
  const { previousAsOfMs, timeZone } = source
  if (changes === undefined || previousAsOfMs === undefined) {
    const text = 'This is the first inventory, so there is nothing to compare it with.'
    return section(TITLE, text)
  }
  const before = toMinutes(zonedInstant(previousAsOfMs, timeZone))
  const text = `Numbers added, removed or changed since the inventory as of ${before}.`
  return section(TITLE, text, changes.table)
}

/** Raw SQL, because each field has its own comparison and wording, and totals are counted over all rows. */
function changesQuery(
  numbers: NumberSource['numbers'],
  previous: NumberSource['numbers'],
): RawBuilder<unknown> {
  const shown = [...NUMBER_COLUMNS.map(({ name }) => name), 'assigned_to', 'id'].map((name) => {
    const [now, before] = [sql.id('n', name), sql.id('p', name)]
    return sql`case when n.id is null then ${before} else ${now} end as ${sql.id(name)}`
  })
  const fields = COMPARED.map(comparison)
  const counts = KINDS.map(
    (kind) => sql`count(*) filter (where change = ${kind}) over ()::int as ${sql.id(kind)}`,
  )
  const changes = sql`
    select case when p.id is null then 'added' when n.id is null then 'removed' else 'changed' end
        as change,
      ${sql.join(shown)},
      case when p.id is not null and n.id is not null
        then concat_ws('; ', ${sql.join(fields.map(({ told }) => told))}) end as details
    from ${numbers} n full join ${previous} p on p.id = n.id
    where p.id is null or n.id is null
      or ${sql.join(
        fields.map(({ differs }) => differs),
        sql` or `,
      )}`
  return sql`select c.*, ${sql.join(counts)} from (${changes}) c order by change, number, id`
}

/** Only fields that differ are converted to words, because most fields are unchanged. */
function comparison([name, label, form]: Compared) {
  const [keptNow, keptBefore] = [sql.id('n', name), sql.id('p', name)]
  const [now, before] = [wordsOf(keptNow, form), wordsOf(keptBefore, form)]
  const differs = sql`(${keptNow} is distinct from ${keptBefore} and ${now} is distinct from ${before})`
  const told = sql`case when ${differs}
    then ${`${label}: `}::text || coalesce(${before}, 'none') || ' → ' || coalesce(${now}, 'none') end`
  return { differs, told }
}

/** Returns a field in words, or null if it is empty. A list in a different order counts as equal. */
function wordsOf(field: RawBuilder<unknown>, form: Compared[2]): RawBuilder<unknown> {
  if (form === 'list')
    return sql`(select nullif(string_agg(item, ', ' order by item), '') from unnest(${field}) item)`
  if (form === 'yes-no') return sql`case when ${field} then 'yes' when not ${field} then 'no' end`
  return sql`nullif(${field}::text, '')`
}

const TITLE = 'Changes'
const KINDS = ['added', 'removed', 'changed'] as const
const COLUMNS: readonly TableColumn[] = [
  { name: 'change', title: 'Change', format: 'text' },
  ...NUMBER_COLUMNS,
  { name: 'assigned_to', title: 'Assigned to', format: 'text' },
  { name: 'details', title: 'What changed', format: 'text' },
  { name: 'id', title: 'ID', format: 'text' },
]
