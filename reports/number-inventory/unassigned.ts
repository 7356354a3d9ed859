import { sql } from 'kysely'
import type { Note, Section } from '../../src/core/define/report.ts'
import { counted, count as grouped } from '../../src/core/values/quantities.ts'
import { figures, finding, note, type ReportPart, section } from '../shared/blocks.ts'
import { localDay, localInstant } from '../shared/local-time.ts'
import { orderedTable, queryRows, tableColumns, tableOf } from '../shared/query.ts'
import type { IdleNumbers } from './idle.ts'
import type { InventorySettings } from './settings.ts'
import { NUMBER_COLUMNS, type NumberSource } from './source.ts'

/** Lists unassigned numbers with their idle time; numbers that can be returned come first. */
export function unassignedSection(
  { db, timeZone, settings }: NumberSource,
  idle: IdleNumbers,
): Section {
  const title = 'Unassigned'
  const columns = tableColumns([
    ...NUMBER_COLUMNS,
    { name: 'reclaimable', title: 'Reclaimable', format: 'boolean' },
    { name: 'idle_from', title: 'Idle since', format: 'instant' },
    { name: 'known', title: 'How it is known', format: 'text' },
    { name: 'idle_days', title: 'Days idle', format: 'integer' },
    { name: 'quarantine_days_left', title: 'Quarantine days left', format: 'integer' },
    { name: 'monthly_cost', title: costTitle(settings), format: 'money' },
  ])
  const rows = db
    .selectFrom(idle.as('n'))
    .selectAll('n')
    .select(({ ref }) => [
      localInstant(ref('n.idle_since'), timeZone).as('idle_from'),
      sql<string>`case when ${ref('n.freed')} then 'its last assignment ended'
        else 'since before ' || ${localDay(ref('n._first_seen_at'), timeZone)} || ' (first seen)' end`.as(
        'known',
      ),
    ])
  const order = ['reclaimable desc', 'idle_since', 'number', 'id'] as const
  const text =
    'Numbers that are paid for and assigned to nobody and nothing: those that can be given back first, the ' +
    'longest idle first. Idle since is when a run found the last assignment ended. Where none is known, as ' +
    'the number was idle when it was first seen or its holder was erased, it is idle since then at least.'
  const empty = 'Every number is assigned.'
  return section(title, text, orderedTable(db, { title, columns, empty }, { rows, order }))
}

/** Shows the savings from returning idle numbers, by country and type. */
export async function reclaimableSection(
  source: NumberSource,
  idle: IdleNumbers,
): Promise<ReportPart> {
  const { db, settings } = source
  const columns = tableColumns([
    { name: 'country', title: 'Country', format: 'text' },
    { name: 'number_type', title: 'Type', format: 'text' },
    { name: 'price', title: `Price a month (${settings.currency})`, format: 'money' },
    { name: 'idle', title: 'Unassigned', format: 'integer' },
    { name: 'quarantined', title: 'In quarantine', format: 'integer' },
    { name: 'pending', title: 'Not in normal use', format: 'integer' },
    { name: 'reclaimable', title: 'Reclaimable', format: 'integer' },
    { name: 'cost', title: costTitle(settings), format: 'money' },
  ])
  const rows = await queryRows<CostRow>(db, costsOf(idle))
  const sum = (count: (row: CostRow) => number): number =>
    rows.reduce((total, row) => total + count(row), 0)
  const reclaimable = sum((row) => row.reclaimable)
  const unpriced = sum((row) => (row.price === null ? row.reclaimable : 0))
  // If no number has a price there is no sum: it would be a meaningless zero.
  const cost = unpriced === reclaimable ? null : sum((row) => row.cost ?? 0)
  const found = figures('What can be given back', {
    Unassigned: sum((row) => row.idle),
    'In quarantine': sum((row) => row.quarantined),
    'Not in normal use': sum((row) => row.pending),
    Reclaimable: reclaimable,
    'Reclaimable without a price': unpriced,
    [`${costTitle(settings)}, where there is a price`]: [cost, 'money'],
  })
  const empty = 'Every number is assigned.'
  return {
    title: TITLE,
    finding: saving(settings, { reclaimable, unpriced, cost }),
    blocks: [
      ...notesOf(settings, unpriced),
      found,
      tableOf({ title: 'By country and type', columns, empty }, rows),
    ],
  }
}

/** Says what returning the numbers would save. */
function saving(
  { currency }: InventorySettings,
  { reclaimable, unpriced, cost }: { reclaimable: number; unpriced: number; cost: number | null },
): Note | undefined {
  if (reclaimable === 0) return undefined
  const numbers = counted(reclaimable, 'unassigned number')
  if (cost === null)
    return finding(
      `Return ${numbers}; what that saves is unknown, because the configuration has no prices.`,
      'plain',
    )
  const bare = counted(unpriced, 'number that has', 'numbers that have')
  const rest = unpriced === 0 ? '' : `, without ${bare} no price`
  return finding(`Return ${numbers} to save ${currency} ${grouped(cost)} a month${rest}.`, 'plain')
}

interface CostRow extends Readonly<Record<string, string | number | null>> {
  country: string
  number_type: string
  price: number | null
  idle: number
  quarantined: number
  pending: number
  reclaimable: number
  cost: number | null
}

/** Raw SQL, because it counts by conditions. Each sum covers numbers of one price. */
function costsOf(idle: IdleNumbers) {
  return sql`
    select coalesce(location_country, '(none)') as country, coalesce(number_type, '(none)') as number_type,
      monthly_cost as price, count(*)::int as idle,
      count(*) filter (where status = 'Normal' and not reclaimable)::int as quarantined,
      count(*) filter (where status is distinct from 'Normal')::int as pending,
      count(*) filter (where reclaimable)::int as reclaimable,
      monthly_cost * count(*) filter (where reclaimable) as cost
    from ${idle} n group by location_country, number_type, monthly_cost
    order by cost desc nulls last, reclaimable desc, 1, 2`
}

function notesOf({ quarantineDays, prices }: InventorySettings, unpriced: number): Note[] {
  const days =
    quarantineDays === 0
      ? 'There is no quarantine: a setting, quarantineDays, can hold a number back for some days.'
      : `A number is left alone for ${grouped(quarantineDays)} days after it became idle, or was first ` +
        `seen ` +
        'idle; callsheet apply refuses to move one within that time of an end that is known.'
  const rule =
    'Reclaimable is a number in normal use that nobody has and that is past its quarantine. ' +
    `${days} The cost is the price of its country and type, whoever supplies it.`
  const priced = Object.keys(prices).length > 0
  if (unpriced === 0 && priced) return [note('plain', rule)]
  const missing = priced
    ? `${grouped(unpriced)} reclaimable numbers have no price in the configuration, and are in no sum.`
    : 'The configuration names no prices (reports.settings.number-inventory.prices), so no cost is known.'
  return [note('plain', rule), note('warning', missing)]
}

function costTitle({ currency }: InventorySettings): string {
  return `Monthly cost (${currency})`
}

const TITLE = 'Reclaimable'
