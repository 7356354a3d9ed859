import { type RawBuilder, sql } from 'kysely'
import type { Note, Section } from '../../src/core/define/report.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { counted, count as grouped } from '../../src/core/values/quantities.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { note, section } from '../shared/blocks.ts'
import { numberPrice, PRICES_SETTING } from '../shared/number-price.ts'
import { monthsUpTo } from '../shared/periods.ts'
import { queryRows, tableColumns, tableOf } from '../shared/query.ts'
import type { InventorySettings } from './settings.ts'
import { firstReadMs, type NumberSource } from './source.ts'

interface Reclaimed extends Readonly<Record<string, string | number | null>> {
  month: string
  returned: number
  reassigned: number
  unpriced: number
  saved: number | null
}

/** Shows what reclaiming saved: numbers that left or were assigned again after they were reclaimable. */
export async function reclaimedSection(source: NumberSource): Promise<Section> {
  const { db, asOfMs, timeZone, settings } = source
  const from = zonedInstant(await firstReadMs(source), timeZone).slice(0, 7)
  const last = zonedInstant(asOfMs, timeZone).slice(0, 7)
  const found = await queryRows<Reclaimed>(db, byMonth(source))
  const months = new Map(found.map((row) => [row.month, row]))
  let total: number | null = null
  const rows = monthsUpTo(last, MOST_MONTHS)
    .filter((month) => month >= from)
    .map((month) => {
      const row = months.get(month) ?? { month, ...NOTHING }
      if (row.saved !== null) total = (total ?? 0) + row.saved
      return { ...row, total }
    })
  const days = leastIdleDays(settings)
  const text =
    'Numbers that left the account, or were assigned again, after they were reclaimable: status ' +
    `Normal and unassigned for at least ${counted(days, 'day')}. A change counts in the month of the run ` +
    'that found it. A returned number saves its price each month from then on, one assigned ' +
    'again saves the price of a new one.'
  const columns = tableColumns([
    { name: 'month', title: 'Month', format: 'text' },
    { name: 'returned', title: 'Left the account', format: 'integer' },
    { name: 'reassigned', title: 'Assigned again', format: 'integer' },
    { name: 'unpriced', title: 'Without a price', format: 'integer' },
    { name: 'saved', title: `Saved a month (${settings.currency})`, format: 'money' },
    { name: 'total', title: `Saved a month in total (${settings.currency})`, format: 'money' },
  ])
  const table = tableOf({ title: TITLE, columns }, rows)
  return section(TITLE, text, ...totalNote(settings, rows), table)
}

function totalNote({ currency }: InventorySettings, rows: readonly Reclaimed[]): Note[] {
  const sum = (name: 'returned' | 'reassigned' | 'unpriced') =>
    rows.reduce((all, row) => all + row[name], 0)
  const [numbers, unpriced] = [sum('returned') + sum('reassigned'), sum('unpriced')]
  if (numbers === 0) return [note('plain', 'No reclaimable number left or was assigned again yet.')]
  const saved = rows.reduce((all, row) => all + (row.saved ?? 0), 0)
  const cost =
    unpriced === numbers
      ? `what they save is unknown; set ${PRICES_SETTING}`
      : `they save ${currency} ${grouped(saved)} a month` +
        (unpriced === 0
          ? ''
          : `, not counting ${counted(unpriced, 'number')} without a price (set ${PRICES_SETTING})`)
  const text = `${counted(numbers, 'number was', 'numbers were')} reclaimed since ${rows[0]?.month}: ${cost}.`
  return [note('plain', text)]
}

/**
 * Raw SQL, because it compares versions. A run ends a number before its assignments. So a number that was
 * returned while assigned has an assignment that ends later, which shows that the number was not idle.
 */
function byMonth(source: NumberSource): RawBuilder<unknown> {
  const { versions, timeZone, settings } = source
  const held = versions(phoneNumberAssignments)
  const events = sql`
    select id, _valid_to as at, true as returned from ${versions(phoneNumbers)} n where _end = 'deleted'
    union all
    select phone_number_id, min(_valid_from), false from ${held} a
    where not exists (select from ${held} b where b.phone_number_id = a.phone_number_id
      and b._valid_from < a._valid_from and coalesce(b._valid_to, 'infinity') >= a._valid_from)
    group by phone_number_id, _valid_from`
  const price = numberPrice(settings.prices)
  return sql`
    with events as materialized (${events}),
    idle as (
      select e.id, e.at, e.returned, max(a._valid_to) as freed
      from events e left join ${held} a on a.phone_number_id = e.id and a._valid_to <= e.at
      where not (e.returned and exists (select from ${held} b where b.phone_number_id = e.id
        and b._valid_from < e.at and coalesce(b._valid_to, 'infinity') >= e.at))
      group by e.id, e.at, e.returned),
    seen as (
      select distinct on (i.id, i.at) i.at, i.returned, n.status, ${price} as price,
        coalesce(i.freed, min(n._valid_from) over (partition by i.id, i.at)) as since
      from idle i join ${versions(phoneNumbers)} n on n.id = i.id and n._valid_from < i.at
      order by i.id, i.at, n._valid_from desc)
    select to_char(at at time zone ${timeZone}, 'YYYY-MM') as month,
      count(*) filter (where returned)::int as returned,
      count(*) filter (where not returned)::int as reassigned,
      count(*) filter (where price is null)::int as unpriced, sum(price)::float8 as saved
    from seen
    where status = 'Normal' and at - since >= make_interval(days => ${leastIdleDays(settings)}::int)
    group by 1 order by 1`
}

/** Returns at least 1, so that a number that is handed over within one night does not count as idle. */
function leastIdleDays({ quarantineDays }: InventorySettings): number {
  return Math.max(1, quarantineDays)
}

const TITLE = 'Reclaimed'
const MOST_MONTHS = 12
const NOTHING = { returned: 0, reassigned: 0, unpriced: 0, saved: null }
