import { sql } from 'kysely'
import type { Note } from '../../src/core/define/report.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { codeWords } from '../../src/core/values/code-words.ts'
import { counted, count as grouped } from '../../src/core/values/quantities.ts'
import { phoneNumberAssignments, phoneNumbers } from '../../src/resources/phone-numbers.ts'
import { finding, type ReportPart, section } from '../shared/blocks.ts'
import { instantOf } from '../shared/local-time.ts'
import { queryRows, type Row, tableColumns, tableOf } from '../shared/query.ts'
import { firstReadMs, type NumberSource } from './source.ts'

/** Shows when the free numbers of each site and product run out at the present rate. */
export async function exhaustionSection(source: NumberSource): Promise<ReportPart> {
  const { db, asOfMs, timeZone } = source
  const fromMs = Math.max(asOfMs - GROWTH_DAYS * DAY_MS, await firstReadMs(source))
  const days = (asOfMs - fromMs) / DAY_MS
  const columns = tableColumns([
    { name: 'site', title: 'Site', format: 'text' },
    { name: 'product', title: 'Product', format: 'text', coded: 'service' },
    { name: 'numbers', title: 'Numbers', format: 'integer' },
    { name: 'assigned', title: 'Assigned', format: 'integer' },
    { name: 'free', title: 'Free', format: 'integer' },
    {
      name: 'before',
      title: `Assigned ${zonedInstant(fromMs, timeZone).slice(0, 10)}`,
      format: 'integer',
    },
    { name: 'net', title: 'Net growth', format: 'integer' },
    { name: 'rate', title: 'Growth in 30 days', format: 'decimal' },
    { name: 'days_left', title: 'Days left', format: 'integer' },
    { name: 'verdict', title: 'Outlook', format: 'text' },
  ])
  const rows = await queryRows<Growth>(db, growthOf(source, fromMs))
  const outlooks = rows.map((row) => ({ ...row, ...outlookOf(row, days) })).toSorted(bySoonest)
  const text =
    'When each site and product runs out of free numbers, the soonest first. “Days left” ' +
    'divides the free numbers by the net growth of assigned ones since ' +
    `${zonedInstant(fromMs, timeZone).slice(0, 10)} (${days.toFixed(days < 10 ? 1 : 0)} days; ` +
    `at most ${GROWTH_DAYS}, or as many as the history covers). A number is free if its status ` +
    'is Normal and it is unassigned, even in quarantine. A number that moved to another site ' +
    'or product counts as growth there.'
  const empty = 'There are no numbers.'
  return {
    ...section(TITLE, text, tableOf({ title: TITLE, columns, empty }, outlooks)),
    finding: shortage(outlooks),
  }
}

/** Names the site and product that run out first, and counts others; undefined if none runs out soon. */
function shortage(outlooks: readonly (Growth & Outlook)[]): Note | undefined {
  const soon = outlooks.filter(({ days_left }) => days_left !== null && days_left <= SOON_DAYS)
  const [first, ...others] = soon
  if (first === undefined) return undefined
  const { site, product, free, days_left } = first
  const numbers = `numbers of the product ${codeWords(product)}`
  const when =
    free === 0
      ? `has no free ${numbers}`
      : `runs out of ${numbers} in about ${counted(days_left ?? 0, 'day')} (${grouped(free)} free)`
  const rest =
    others.length === 0
      ? ''
      : `; ${counted(others.length, 'other pool runs', 'other pools run')} out within ${SOON_DAYS} ` +
        'days'
  return finding(`${site} ${when}${rest}: order numbers.`)
}

interface Growth extends Row {
  site: string
  product: string
  numbers: number
  assigned: number
  free: number
  before: number
  net: number
}

interface Outlook {
  rate: number | null
  days_left: number | null
  verdict: string
}

/** Returns the rate (null for less than a day of history) and the days left (null also without growth). */
function outlookOf({ free, net }: Growth, days: number): Outlook {
  if (days < 1)
    return { rate: null, days_left: null, verdict: 'unknown: less than a day of history' }
  const rate = (net / days) * 30
  if (net <= 0) return { rate, days_left: null, verdict: 'no growth' }
  const daysLeft = Math.floor((free * days) / net)
  return { rate, days_left: daysLeft, verdict: free === 0 ? 'no free numbers' : 'runs out' }
}

function bySoonest(a: Outlook, b: Outlook): number {
  const [soon, late] = [a.days_left ?? Infinity, b.days_left ?? Infinity]
  return soon === late ? 0 : soon - late
}

/** Raw SQL, because it compares two states of the same rows. */
function growthOf({ versions, numbers }: NumberSource, fromMs: number) {
  const at = instantOf(fromMs)
  const then = sql`_valid_from <= ${at} and (_valid_to is null or _valid_to > ${at})`
  const site = sql`coalesce(nullif(site_name, ''), site_id, '(none)')`
  const product = sql`coalesce(allocated_product, '(none)')`
  return sql`
    with held as (
      select distinct phone_number_id from ${versions(phoneNumberAssignments)} a where ${then}),
    now as (
      select ${site} as site, ${product} as product, count(*)::int as numbers,
        count(*) filter (where assigned)::int as assigned,
        count(*) filter (where not assigned and status = 'Normal')::int as free
      from ${numbers} n group by 1, 2),
    former as (
      select ${site} as site, ${product} as product, count(*)::int as before
      from ${versions(phoneNumbers)} v join held on phone_number_id = id where ${then} group by 1, 2)
    select site, product, numbers, assigned, free, coalesce(before, 0) as before,
      assigned - coalesce(before, 0) as net
    from now left join former using (site, product) order by free, site, product`
}

const TITLE = 'Days to exhaustion'

/** Growth is measured over at most this many days: enough to show it, few enough to follow a change. */
const GROWTH_DAYS = 90
/** A shortage within this time is a finding: half a year leaves time to order or move numbers. */
const SOON_DAYS = 180
