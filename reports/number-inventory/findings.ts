import { type RawBuilder, sql } from 'kysely'
import type { Section, TableColumn } from '../../src/core/declare/report.ts'
import { cursorTable, namesOf } from '../shared/query.ts'
import { ID_COLUMN, NUMBER_COLUMNS } from './columns.ts'
import { localInstant, type NumberSource } from './source.ts'

interface Finding {
  title: string
  note: string
  empty: string
  where: RawBuilder<unknown>
  order: RawBuilder<unknown>
  extra: readonly TableColumn[]
}

const ASSIGNED_TO: readonly TableColumn[] = [
  { name: 'assigned_to', title: 'Assigned to', format: 'text' },
  { name: 'assigned_types', title: 'As', format: 'text' },
]
const SEEN: TableColumn = { name: 'first_seen', title: 'First seen', format: 'instant' }

const FINDINGS: readonly Finding[] = [
  {
    title: 'Unassigned',
    note: 'Numbers that are paid for and assigned to nobody and nothing.',
    empty: 'Every number is assigned.',
    where: sql`not assigned`,
    order: sql`allocated_product, number_type, number, id`,
    extra: [
      { name: 'source', title: 'Source', format: 'text' },
      { name: 'carrier_name', title: 'Carrier', format: 'text' },
      SEEN,
    ],
  },
  {
    title: 'Pending',
    note: 'Numbers that the service has not made ready yet, the longest waiting first.',
    empty: 'No number is pending.',
    where: sql`status = 'Pending'`,
    order: sql`_first_seen_at, number, id`,
    extra: [{ name: 'source', title: 'Source', format: 'text' }, ...ASSIGNED_TO, SEEN],
  },
  {
    title: 'Emergency addresses',
    note: 'Numbers without an emergency address, or with one that needs an update; numbers in use first.',
    empty: 'Every number has an emergency address and none needs an update.',
    where: sql`not has_emergency_address or address_update_required`,
    order: sql`assigned desc, coalesce(address_update_required, false) desc, number, id`,
    extra: [
      { name: 'assigned', title: 'In use', format: 'boolean' },
      { name: 'has_emergency_address', title: 'Has an address', format: 'boolean' },
      { name: 'address_update_required', title: 'Needs an update', format: 'boolean' },
      { name: 'address_updated', title: 'Address updated', format: 'instant' },
      { name: 'emergency_address_text', title: 'Address', format: 'text' },
      ...ASSIGNED_TO,
    ],
  },
  {
    title: 'Duplicates',
    note: 'The same number more than once, under different IDs.',
    empty: 'No number is there twice.',
    where: sql`duplicate`,
    order: sql`number, id`,
    extra: [{ name: 'source', title: 'Source', format: 'text' }, ...ASSIGNED_TO, SEEN, ID_COLUMN],
  },
  {
    title: 'Inactive users',
    note: 'Numbers that are assigned to a user who is inactive.',
    empty: 'No number is assigned to an inactive user.',
    where: sql`to_inactive_user`,
    order: sql`assigned_to, number, id`,
    extra: [...ASSIGNED_TO, { name: 'extensions', title: 'Extension', format: 'text' }],
  },
]

/** One sheet for each thing that somebody should look after. */
export function findingSections(source: NumberSource): Section[] {
  return FINDINGS.map(({ title, note, empty, where, order, extra }) => {
    const columns = [...NUMBER_COLUMNS, ...extra]
    const query = sql`
      select ${namesOf(columns)} from (
        select n.*, ${localInstant('_first_seen_at', source)} as first_seen,
          ${localInstant('emergency_address_update_time', source)} as address_updated
        from ${source.numbers} n) n
      where ${where} order by ${order}`
    return {
      title,
      blocks: [
        { kind: 'note', tone: 'plain', text: note },
        cursorTable(source.db, { title, columns, empty }, query),
      ],
    }
  })
}
