import type { SelectQueryBuilder } from 'kysely'
import type { Note, TableColumn } from '../../src/core/define/report.ts'
import type { ReportLedgers } from '../../src/core/define/report-ledgers.ts'
import { count, counted } from '../../src/core/values/quantities.ts'
import { finding, type ReportPart, section } from '../shared/blocks.ts'
import { localInstant } from '../shared/local-time.ts'
import {
  type CellNames,
  type Order,
  orderedTable,
  type Row,
  type RowIn,
  tableColumns,
} from '../shared/query.ts'
import { ID_COLUMN, NUMBER_COLUMNS, type NumberSource } from './source.ts'

interface Finding {
  title: string
  note: string
  empty: string
  of(numbers: Numbers): Numbers
  /** The columns to sort by before the number. */
  order: readonly Order<Shown>[]
  extra: readonly TableColumn<CellNames<Shown>>[]
  /** Returns the sentence for the summary, from the totals of all numbers; undefined if there is none. */
  story?(total: (name: string) => number): Note | undefined
}

type Shown = RowIn<ReturnType<typeof shownNumbers>>
type Numbers = SelectQueryBuilder<ReportLedgers & { n: Shown }, 'n', Shown>

const ASSIGNED_TO = tableColumns([
  { name: 'assigned_to', title: 'Assigned to', format: 'text' },
  { name: 'assigned_types', title: 'Assigned as', format: 'text', coded: 'service' },
])
const SOURCE = { name: 'source', title: 'Source', format: 'text', coded: 'service' } as const
const SEEN = { name: 'first_seen', title: 'First seen', format: 'instant' } as const

const FINDINGS: readonly Finding[] = [
  {
    title: 'Emergency addresses',
    note:
      'Numbers that can make emergency calls (capability EmergencyCalls) but have no emergency ' +
      'address, or one that needs an update. Numbers in use come first, those without an address ' +
      'before the others. Numbers without any capability are not listed; the sheet Breakdown ' +
      'counts them under “(none)”.',
    empty: 'Every number that can make emergency calls has an address, and none needs an update.',
    of: (numbers) =>
      numbers
        .where('can_call_emergency', '=', true)
        .where(({ eb, or }) =>
          or([eb('has_emergency_address', '=', false), eb('address_update_required', '=', true)]),
        ),
    order: ['assigned desc', 'has_emergency_address'],
    extra: [
      { name: 'assigned', title: 'In use', format: 'boolean' },
      { name: 'has_emergency_address', title: 'Has an address', format: 'boolean' },
      { name: 'address_update_required', title: 'Needs an update', format: 'boolean' },
      { name: 'address_updated', title: 'Address updated', format: 'instant' },
      { name: 'emergency_address_text', title: 'Address', format: 'text' },
      ...ASSIGNED_TO,
    ],
    story(total) {
      const [without, outdated] = [total('no_address_in_use'), total('update_required')]
      const lost = total('lost_address')
      const since = lost === 0 ? '' : ` (${count(lost)} had one in the last inventory)`
      const bare = `${counted(without, 'number')} in use can make emergency calls without an address`
      const parts = [
        ...(without === 0 ? [] : [`${bare}${since}`]),
        ...(outdated === 0
          ? []
          : [
              `${counted(outdated, 'emergency address needs', 'emergency addresses need')} an update`,
            ]),
      ]
      return parts.length === 0 ? undefined : finding(`${parts.join('; ')}: correct the addresses.`)
    },
  },
  {
    title: 'Pending',
    note:
      'Numbers with the status Pending, which the service has not made ready for use yet. The ' +
      'longest waiting come first.',
    empty: 'No number is pending.',
    of: (numbers) => numbers.where('status', '=', 'Pending'),
    order: ['_first_seen_at'],
    extra: [SOURCE, ...ASSIGNED_TO, SEEN],
  },
  {
    title: 'Duplicates',
    note: 'Numbers that the service lists more than once, under different IDs.',
    empty: 'No number is listed twice.',
    of: (numbers) => numbers.where('duplicate', '=', true),
    order: [],
    extra: [SOURCE, ...ASSIGNED_TO, SEEN, ID_COLUMN],
    story(total) {
      const twice = total('duplicates')
      if (twice === 0) return undefined
      const entries = counted(twice, 'entry has', 'entries have')
      return finding(
        `${entries} a number that is listed more than once: ask the service’s support which entry is valid.`,
      )
    },
  },
  {
    title: 'Inactive users',
    note: 'Numbers that are assigned to inactive users, sorted by user.',
    empty: 'No number is assigned to an inactive user.',
    of: (numbers) => numbers.where('to_inactive_user', '=', true),
    order: ['assigned_to'],
    extra: [...ASSIGNED_TO, { name: 'extensions', title: 'Extension', format: 'text' }],
    story(total) {
      const held = total('to_inactive_users')
      if (held === 0) return undefined
      const numbers = counted(held, 'number is', 'numbers are')
      return finding(`${numbers} assigned to inactive users: reassign or return them.`, 'plain')
    },
  },
]

/** Makes one sheet for each kind of problem; the first is about emergency calls. */
export function findingSections(source: NumberSource, totals: Row): ReportPart[] {
  return FINDINGS.map(({ title, note, empty, of, order, extra, story }) => {
    const table = { title, columns: [...NUMBER_COLUMNS, ...extra], empty }
    const rows = of(source.db.selectFrom(shownNumbers(source).as('n')).selectAll('n'))
    const by = [...order, 'number', 'id'] as const
    const sheet = section(title, note, orderedTable(source.db, table, { rows, order: by }))
    return { ...sheet, finding: story?.((name) => Number(totals[name] ?? 0)) }
  })
}

function shownNumbers({ db, numbers, timeZone }: NumberSource) {
  return db
    .selectFrom(numbers.as('n'))
    .selectAll('n')
    .select(({ eb, ref }) => [
      // Reuses the text, because a condition on its sources would build the text a second time.
      eb('n.emergency_address_text', 'is not', null).as('has_emergency_address'),
      localInstant(ref('n._first_seen_at'), timeZone).as('first_seen'),
      localInstant(ref('n.emergency_address_update_time'), timeZone).as('address_updated'),
    ])
}
