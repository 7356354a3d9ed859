import { sql } from 'kysely'
import type { Note, Section } from '../../src/core/define/report.ts'
import { counted, count as grouped } from '../../src/core/values/quantities.ts'
import { figures, finding, note, type ReportPart, section } from '../shared/blocks.ts'
import { localDay, localInstant } from '../shared/local-time.ts'
import { PRICES_SETTING } from '../shared/number-price.ts'
import { orderedTable, queryRows, type Row, tableColumns, tableOf } from '../shared/query.ts'
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
    { name: 'known', title: 'Based on', format: 'text' },
    { name: 'idle_days', title: 'Days idle', format: 'integer' },
    { name: 'quarantine_days_left', title: 'Quarantine days left', format: 'integer' },
    { name: 'monthly_cost', title: costTitle(settings), format: 'money' },
  ])
  const rows = db
    .selectFrom(idle.as('n'))
    .selectAll('n')
    .select(({ ref }) => [
      localInstant(ref('n.idle_since'), timeZone).as('idle_from'),
      sql<string>`case when ${ref('n.freed')} then 'end of the last assignment'
        else 'first seen on ' || ${localDay(ref('n._first_seen_at'), timeZone)} end`.as('known'),
    ])
  const order = ['reclaimable desc', 'idle_since', 'number', 'id'] as const
  const text =
    'Unassigned numbers. Reclaimable ones come first, then those idle the longest. “Idle ' +
    'since” is when a run found that the last assignment had ended. If no such end is on ' +
    'record, it is when the number was first seen: the number was already unassigned then, or ' +
    'its assignee was erased.'
  const empty = 'Every number is assigned.'
  return section(title, text, orderedTable(db, { title, columns, empty }, { rows, order }))
}

/** Shows the savings from returning idle numbers, by country and type. */
export async function reclaimableSection(
  source: NumberSource,
  idle: IdleNumbers,
  totals: Row,
): Promise<ReportPart> {
  const { db, settings } = source
  const columns = tableColumns([
    { name: 'country', title: 'Country', format: 'text', coded: 'country' },
    { name: 'number_type', title: 'Type', format: 'text', coded: 'service' },
    { name: 'price', title: `Monthly price (${settings.currency})`, format: 'money' },
    { name: 'idle', title: 'Unassigned', format: 'integer' },
    { name: 'quarantined', title: 'In quarantine', format: 'integer' },
    { name: 'pending', title: 'Status not Normal', format: 'integer' },
    { name: 'reclaimable', title: 'Reclaimable', format: 'integer' },
    { name: 'cost', title: costTitle(settings), format: 'money' },
  ])
  const rows = await queryRows<CostRow>(db, costsOf(idle))
  const sum = (count: (row: CostRow) => number): number =>
    rows.reduce((total, row) => total + count(row), 0)
  const reclaimable = sum((row) => row.reclaimable)
  const unpriced = sum((row) => (row.price === null ? row.reclaimable : 0))
  // If no reclaimable number has a price, the sum is null, because zero would be misleading.
  const cost = unpriced === reclaimable ? null : sum((row) => row.cost ?? 0)
  const found = figures('Reclaimable numbers', {
    Unassigned: sum((row) => row.idle),
    'In quarantine': sum((row) => row.quarantined),
    'Status not Normal': sum((row) => row.pending),
    Reclaimable: reclaimable,
    'Reclaimable without a price': unpriced,
    [`${costTitle(settings)}, priced numbers only`]: [cost, 'money'],
  })
  const empty = 'Every number is assigned.'
  return {
    title: TITLE,
    finding: saving(source, { totals, reclaimable, unpriced, cost }),
    blocks: [
      ...notesOf(settings, unpriced),
      found,
      tableOf({ title: 'By country and type', columns, empty }, rows),
    ],
  }
}

/** Without a reserve, a site that returns its unassigned numbers has none for the next person. */
const RESERVE = 'keep a reserve for growth'

interface Savings {
  totals: Row
  reclaimable: number
  unpriced: number
  cost: number | null
}

/** States what returning numbers would save. Advises to return them only if all assignments were read. */
function saving(
  { settings: { currency }, coverage }: NumberSource,
  { totals, reclaimable, unpriced, cost }: Savings,
): Note {
  const all = grouped(Number(totals.numbers))
  const idle = `${grouped(Number(totals.unassigned))} of ${all} numbers are unassigned`
  const some = `up to ${grouped(reclaimable)}`
  if (reclaimable === 0) return finding(`${idle}.`, 'plain')
  if (!coverage.whole)
    return finding(
      `${idle}, and ${some} may be reclaimable. Not all assignments were read: run "callsheet sync ` +
        'phone-numbers" before returning any.',
    )
  if (cost === null)
    return finding(
      `${idle}: return ${some}; ${RESERVE}. To see what that saves, set ${PRICES_SETTING}.`,
      'plain',
    )
  const bare = counted(unpriced, 'number')
  const rest =
    unpriced === 0 ? '' : `, not counting ${bare} without a price (set ${PRICES_SETTING})`
  const saved = `up to ${currency} ${grouped(cost)} a month${rest}`
  return finding(`${idle}: return ${some} to save ${saved}; ${RESERVE}.`, 'plain')
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
      ? 'No quarantine is configured (reports.settings.number-inventory.quarantineDays).'
      : `The quarantine lasts ${grouped(quarantineDays)} days from the date in “Idle since” on ` +
        'the sheet Unassigned. If that date is the end of an assignment, "callsheet apply" ' +
        'refuses to move the number until the quarantine is over.'
  const rule =
    'A number is reclaimable if its status is Normal, it is unassigned, and its quarantine is ' +
    `over. ${days} The cost is the configured price for its country and type, whichever ` +
    'carrier supplies it.'
  const priced = Object.keys(prices).length > 0
  if (unpriced === 0 && priced) return [note('plain', rule)]
  const missing = priced
    ? `The sums exclude ${counted(unpriced, 'reclaimable number')} without a configured price. Add ` +
      `prices under ${PRICES_SETTING}.`
    : `The configuration has no prices, so costs are unknown. Add them under ${PRICES_SETTING}.`
  return [note('plain', rule), note('warning', missing)]
}

function costTitle({ currency }: InventorySettings): string {
  return `Monthly cost (${currency})`
}

const TITLE = 'Reclaimable'
