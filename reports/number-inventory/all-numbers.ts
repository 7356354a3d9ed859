import { sql } from 'kysely'
import type { Section, TableColumn } from '../../src/core/define/report.ts'
import { ALLOCATIONS } from '../../src/core/define/word-fields.ts'
import { localInstant } from '../shared/local-time.ts'
import { listSection, orderedTable, tableColumns } from '../shared/query.ts'
import { type Breakdown, NONE } from './breakdown.ts'
import { ID_COLUMN, NUMBER_COLUMNS, type NumberSource } from './source.ts'

/** Columns that `callsheet apply` can write back to the account. */
const EDITABLE: Readonly<Record<string, NonNullable<TableColumn['editable']>>> = {
  allocated_product: { allowed: ALLOCATIONS },
  site_name: {},
}

const COLUMNS = tableColumns([
  ...NUMBER_COLUMNS.map((column) => ({ ...column, editable: EDITABLE[column.name] })),
  { name: 'display_name', title: 'Name', format: 'text' },
  { name: 'assigned_to', title: 'Assigned to', format: 'text' },
  { name: 'assigned_types', title: 'As', format: 'text', coded: 'service' },
  { name: 'extensions', title: 'Extension', format: 'text' },
  { name: 'capabilities', title: 'Capability', format: 'text', coded: 'service' },
  { name: 'source', title: 'Source', format: 'text', coded: 'service' },
  { name: 'carrier_name', title: 'Carrier', format: 'text' },
  { name: 'sip_group_name', title: 'SIP group', format: 'text' },
  { name: 'location_city', title: 'City', format: 'text' },
  { name: 'location_state', title: 'State', format: 'text' },
  { name: 'emergency_address_text', title: 'Emergency address', format: 'text' },
  { name: 'address_update_required', title: 'Address needs an update', format: 'boolean' },
  { name: 'first_seen', title: 'First seen', format: 'instant' },
  { name: 'last_changed', title: 'Last changed', format: 'instant' },
  ID_COLUMN,
])

/** Lists all numbers, for filters and look-ups in the workbook. */
export function allNumbersSection(source: NumberSource, breakdown: Breakdown): Section {
  const title = 'All numbers'
  const sites = (breakdown.get('Site') ?? []).map(({ value }) => String(value))
  const suggested = sites.filter((site) => site !== NONE).toSorted()
  const columns = COLUMNS.map((column) =>
    column.name === 'site_name' ? { ...column, suggested } : column,
  )
  const { db, numbers, timeZone } = source
  const shown = db
    .selectFrom(numbers.as('n'))
    .selectAll('n')
    .select(({ ref }) => [
      sql<string | null>`array_to_string(${ref('n.capability')}, ', ')`.as('capabilities'),
      localInstant(ref('n._first_seen_at'), timeZone).as('first_seen'),
      localInstant(ref('n._changed_at'), timeZone).as('last_changed'),
    ])
  const table = { title, columns, empty: 'There are no numbers.' }
  return listSection(orderedTable(db, table, { rows: shown, order: ['number', 'id'] }))
}
