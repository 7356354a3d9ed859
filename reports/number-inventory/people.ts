import { sql } from 'kysely'
import { counted } from '../../src/core/values/quantities.ts'
import { finding, type ReportPart, section } from '../shared/blocks.ts'
import {
  awayText,
  heldNumbers,
  inactivePeople,
  numbersByUser,
  PERSON_COLUMNS,
} from '../shared/inactive-people.ts'
import { cursorTable, idsOf, queryRows, tableColumns } from '../shared/query.ts'
import type { NumberSource } from './source.ts'

/** Lists people with numbers who left or have not logged in, then those for whom this is unknown. */
export async function peopleSection(source: NumberSource): Promise<ReportPart> {
  const { db, keep, settings, coverage } = source
  const { inactiveDays: days } = settings
  const held = heldNumbers(source, settings.prices)
  const holders = sql`select user_id as id, name from ${held} h`
  const people = await keep(
    'people to review',
    sql<object>`(select p.*, n.numbers, n.number_list, n.cost
      from ${inactivePeople(source, { days, holders })} p
      join ${numbersByUser(held)} n on n.user_id = p.id)`,
  )
  const columns = tableColumns([
    ...PERSON_COLUMNS,
    { name: 'numbers', title: 'Numbers', format: 'integer' },
    { name: 'number_list', title: 'Number list', format: 'text' },
    { name: 'cost', title: `Monthly cost (${settings.currency})`, format: 'money' },
    { name: 'id', title: 'User ID', format: 'text' },
  ])
  const table = (title: string, empty: string) =>
    cursorTable(
      db,
      { title, columns, empty: coverage.whole ? empty : `As far as data was read: ${empty}` },
      sql`select ${idsOf(columns)} from ${people} p where known = ${title === TITLE}
        order by cost desc nulls last, numbers desc, id`,
    )
  const text =
    `People with numbers who were deleted or deactivated, or have not logged in for ${days} days. The ` +
    'second list has those for whom the service reports no login: they may have left or not. The report ' +
    'access-review adds their licenses and boards. A number of several people counts under each of them.'
  const lists = [
    table(TITLE, 'Nobody.'),
    table(UNKNOWN, 'Everybody with numbers has a login on record.'),
  ]
  const [row] = await queryRows(
    db,
    sql`select count(*)::int as people, coalesce(sum(numbers), 0)::int as numbers
      from ${people} p where known and reason <> 'deactivated'`,
  )
  const [away, numbers] = [Number(row?.people ?? 0), Number(row?.numbers ?? 0)]
  const who = `${counted(away, 'person', 'people')} who were deleted or had ${awayText(days)}`
  const still = away === 1 ? 'still has' : 'still have'
  const said = `${who} ${still} ${counted(numbers, 'number')}: reassign or return them.`
  return {
    ...section(TITLE, text, ...lists),
    finding: away === 0 ? undefined : finding(said, 'plain'),
  }
}

const TITLE = 'People to review'
const UNKNOWN = 'Login unknown'
