import { sql } from 'kysely'
import type { Chart } from '../../src/core/define/chart.ts'
import type { ChartBlock, Note, Section } from '../../src/core/define/report.ts'
import { counted, count as grouped } from '../../src/core/values/quantities.ts'
import { phoneNumberAssignments } from '../../src/resources/phone-numbers.ts'
import { chart, finding, note, section } from '../shared/blocks.ts'
import { rowCount } from '../shared/expressions.ts'
import { awayText, PERSON_COLUMNS } from '../shared/inactive-people.ts'
import { PRICES_SETTING } from '../shared/number-price.ts'
import { orderedTable, queryRows, tableColumns } from '../shared/query.ts'
import type { Exposed } from './boards.ts'
import type { AccessSettings } from './settings.ts'
import type { AccessSource } from './source.ts'

/** The numbers, licenses and boards of people who left or are away, with each number counted once. */
export interface Held {
  people: number
  numbers: number
  licenses: number
  boards: number
  unpriced_numbers: number
  unpriced_licenses: number
  /** The monthly cost; null if nothing has a price. */
  cost: number | null
  /** People of whom it is not known whether they left or are away. */
  unknown: number
  /** Assignments to users for whom the service reports no ID. */
  nameless: number
}

/** Raw SQL, because it counts by conditions. A number of several people counts once. */
export async function readHeld({ db, rows, people, held }: AccessSource): Promise<Held> {
  const mine = sql`(select distinct number_id, price from ${held} h
    where user_id in (select id from ${people} p where known))`
  const [row = {}] = await queryRows(
    db,
    sql`
    select count(*) filter (where known)::int as people,
      count(*) filter (where not known)::int as unknown,
      coalesce(sum(licenses) filter (where known), 0)::int as licenses,
      coalesce(sum(boards) filter (where known), 0)::int as boards,
      coalesce(sum(unpriced_licenses) filter (where known), 0)::int as unpriced_licenses,
      (select count(*)::int from ${mine} m) as numbers,
      (select count(*)::int from ${mine} m where price is null) as unpriced_numbers,
      (select sum(price) from ${mine} m) as number_cost,
      (select count(*)::int from ${rows(phoneNumberAssignments)} a
        where assigned_to_type = 'User' and coalesce(assigned_to_id, '') = '') as nameless,
      sum(license_cost) filter (where known) as license_cost
    from ${people} p`,
  )
  const costs = [row.number_cost, row.license_cost].filter((one) => typeof one === 'number')
  const cost = costs.length === 0 ? null : costs.reduce((sum, one) => sum + one, 0)
  const count = (name: keyof Held): number => Number(row[name] ?? 0)
  return {
    people: count('people'),
    numbers: count('numbers'),
    licenses: count('licenses'),
    boards: count('boards'),
    unpriced_numbers: count('unpriced_numbers'),
    unpriced_licenses: count('unpriced_licenses'),
    cost,
    unknown: count('unknown'),
    nameless: count('nameless'),
  }
}

/** Charts the people by reason. Reasons that leave it open whether a person left are gray. */
export async function reasonsChart({ db, people }: AccessSource): Promise<ChartBlock[]> {
  const reasons = await db
    .selectFrom(people.as('p'))
    .select(['p.reason', 'p.known', rowCount.as('count')])
    .groupBy(['p.reason', 'p.known'])
    .orderBy('p.known', 'desc')
    .orderBy(sql`count(*)`, 'desc')
    .orderBy('p.reason')
    .execute()
  if (reasons.length === 0) return []
  const values = (of: boolean) => reasons.map(({ known, count }) => (known === of ? count : 0))
  const bars: Chart = {
    type: 'stacked-bar',
    valueFormat: 'integer',
    categories: reasons.map(({ reason }) => reason),
    series: [
      { name: PEOPLE, tone: 'accent', values: values(true) },
      { name: UNKNOWN, tone: 'neutral', values: values(false) },
    ],
  }
  return [chart('People with a number, a license or a board', bars, 'half')]
}

/** Says who still has what, what it costs, and what to do. */
export function peopleFinding(
  { settings, coverage }: AccessSource,
  held: Held,
  { ownerless }: Pick<Exposed, 'ownerless'>,
): Note {
  const away = `left or had ${awayText(settings.inactiveDays)}`
  if (held.people === 0) {
    const none = `nobody who ${away} has a number, a license or a board`
    if (!coverage.whole) return finding(`As far as data was read, ${none}.`, 'plain')
    const known = [
      ...(held.unknown === 0 ? [] : ['logins']),
      ...(ownerless === 0 ? [] : ['owners of boards']),
      ...(held.nameless === 0 ? [] : ['holders of numbers']),
    ]
    const bound = known.length === 0 ? '' : `, as far as ${known.join(' and ')} are known`
    const text = `N${none.slice(1)}${bound}.`
    return finding(text, known.length === 0 ? 'good' : 'plain')
  }
  const has = listText([
    [held.numbers, counted(held.numbers, 'number')],
    [held.licenses, counted(held.licenses, 'license')],
    [held.boards, counted(held.boards, 'board')],
  ])
  const people = counted(held.people, 'person', 'people')
  const still = held.people === 1 ? 'still has' : 'still have'
  return {
    ...finding(
      `${people} who ${away} ${still} ${has}${costText(settings, held)}: reclaim what they no longer need.` +
        pricesToSet(held),
    ),
    link: PEOPLE,
  }
}

function costText({ currency }: AccessSettings, held: Held): string {
  const { cost, unpriced_numbers: numbers, unpriced_licenses: licenses } = held
  if (cost === null) return numbers + licenses === 0 ? '' : ', at an unknown cost'
  const bare = listText([
    [numbers, counted(numbers, 'number')],
    [licenses, counted(licenses, 'license')],
  ])
  const rest = bare === '' ? '' : `, not counting ${bare} without a price`
  return `, for ${currency} ${grouped(cost)} a month${rest}`
}

/** Returns a sentence that names the settings with missing prices; empty if no price is missing. */
function pricesToSet({
  cost,
  unpriced_numbers: numbers,
  unpriced_licenses: licenses,
}: Held): string {
  const settings = listText([
    [numbers, PRICES_SETTING],
    [licenses, LICENSE_PRICES],
  ])
  if (settings === '') return ''
  return ` To ${cost === null ? 'see' : 'include'} their cost, set ${settings}.`
}

function listText(parts: readonly (readonly [number, string])[]): string {
  const some = parts.filter(([count]) => count > 0).map(([, text]) => text)
  return some.length < 2 ? some.join('') : `${some.slice(0, -1).join(', ')} and ${some.at(-1)}`
}

/** Returns a note on people who may or may not have left; nothing if there are none. */
export function unknownNote({ unknown }: Held): Note[] {
  if (unknown === 0) return []
  const people = counted(unknown, 'more person has', 'more people have')
  const text =
    `${people} numbers, licenses or boards, but no login on record: compare them with the list of ` +
    'employees of HR to find out who left.'
  return [{ ...note('plain', text), link: UNKNOWN }]
}

/** Lists people who left or are away with what they still have, then those without a recorded login. */
export function peopleSections(source: AccessSource, held: Held): Section[] {
  const { settings, coverage } = source
  const { inactiveDays: days } = settings
  const rule =
    `People who were deleted or deactivated, or have not logged in for ${days} days, and still have ` +
    'a number, a license or a board; the most expensive first. Reassign or return their numbers, ' +
    'lower their user type, and give their boards another owner.'
  const doubt =
    'People with a number, a license or a board for whom the service reports no login. They may ' +
    'use the account daily or may have left: ask them or their managers.'
  const none = (text: string) => (coverage.whole ? text : `As far as data was read: ${text}`)
  return [
    section(PEOPLE, rule, ...pricesNotes(settings, held), table(source, PEOPLE, none('Nobody.'))),
    section(
      UNKNOWN,
      doubt,
      table(source, UNKNOWN, none('Everybody listed has a login on record.')),
    ),
  ]
}

function table({ db, people, settings }: AccessSource, title: string, empty: string) {
  const columns = tableColumns([
    ...PERSON_COLUMNS,
    { name: 'monthly_cost', title: `Monthly cost (${settings.currency})`, format: 'money' },
    { name: 'user_type', title: 'License (user type)', format: 'text' },
    { name: 'numbers', title: 'Numbers', format: 'integer' },
    { name: 'number_list', title: 'Number list', format: 'text' },
    { name: 'boards', title: 'Boards owned', format: 'integer' },
    { name: 'open_boards', title: 'Open to anyone', format: 'integer' },
    { name: 'id', title: 'User ID', format: 'text' },
  ])
  const rows = db
    .selectFrom(people.as('p'))
    .selectAll('p')
    .select(sql<string | null>`case when p.licenses > 0 then p.type::text end`.as('user_type'))
    .where('p.known', '=', title === PEOPLE)
  const order = [
    sql`x.monthly_cost desc nulls last`,
    'numbers desc',
    'open_boards desc',
    'boards desc',
    sql`x.idle_days desc nulls first`,
    'id',
  ] as const
  return orderedTable(db, { title, columns, empty }, { rows, order })
}

function pricesNotes({ licensePrices }: AccessSettings, held: Held): Note[] {
  const text =
    'The service reports the type of a user as a number and does not say which types are paid ' +
    'licenses. A type counts as a license unless its price is 0.'
  const missing = [
    ...(held.unpriced_licenses > 0
      ? [`${counted(held.unpriced_licenses, 'license')} without a price (${LICENSE_PRICES})`]
      : []),
    ...(held.unpriced_numbers > 0
      ? [`${counted(held.unpriced_numbers, 'number')} without a price (${PRICES_SETTING})`]
      : []),
  ]
  const told =
    Object.keys(licensePrices).length === 0 || held.licenses > 0 ? [note('plain', text)] : []
  if (missing.length === 0) return told
  return [...told, note('warning', `The costs exclude ${missing.join(' and ')}.`)]
}

const LICENSE_PRICES = 'reports.settings.access-review.licensePrices'
export const PEOPLE = 'People to review'
export const UNKNOWN = 'Login unknown'
