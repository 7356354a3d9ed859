import { sql } from 'kysely'
import type { Note, Section } from '../../src/core/define/report.ts'
import { phoneNumberAssignments } from '../../src/resources/phone-numbers.ts'
import { userDetails } from '../../src/resources/user-details.ts'
import { users } from '../../src/resources/users.ts'
import { neverRead, note, section } from '../shared/blocks.ts'
import { cursorTable, listSection, queryTable, tableColumns } from '../shared/query.ts'
import type { NumberSource } from './source.ts'

/** Shows who has the numbers, by department and cost center. */
export async function assigneesSections(source: NumberSource): Promise<Section[]> {
  const { db, rows, runId, keep, numbers } = source
  // Raw SQL, because it builds lists. In the contact center, `assigned_to_id` is a usage code.
  const assignees = await keep(
    'assignees',
    sql<object>`(
    select case when p.assigned_to_type = 'User' then 'User' else nullif(p.assigned_to_type, '') end as kind,
      p.assigned_to_id as id, max(coalesce(nullif(u.display_name, ''), p.assigned_to_name)) as name,
      max(coalesce(nullif(u.dept, ''), nullif(d.dept, ''))) as dept,
      max(nullif(d.cost_center, '')) as cost_center, max(u.status) as status,
      count(distinct n.id)::int as numbers,
      case when count(distinct n.id) <= ${MOST_LISTED} then string_agg(distinct n.number, ', ') end
        as number_list
    from ${rows(phoneNumberAssignments)} p join ${numbers} n on n.id = p.phone_number_id
      left join ${rows(users)} u on p.assigned_to_type = 'User' and u.id = p.assigned_to_id
      left join ${rows(userDetails)} d on p.assigned_to_type = 'User' and d.id = p.assigned_to_id
    group by p.assigned_to_type, p.assigned_to_id)`,
  )
  const groups = sql`
    select coalesce(dept, '(none)') as dept, coalesce(cost_center, '(none)') as cost_center,
      count(*)::int as people, sum(numbers)::int as numbers,
      coalesce(sum(numbers) filter (where status = 'inactive'), 0)::int as inactive
    from ${assignees} a where kind = 'User'
    group by 1, 2 order by numbers desc, 1, 2`
  const kinds = sql`
    select coalesce(kind, 'Contact center usage') as kind, count(*)::int as holders,
      sum(numbers)::int as numbers
    from ${assignees} a group by 1 order by numbers desc, 1`
  const text =
    'Numbers by the person, queue, room or contact center usage that they are assigned to. ' +
    'Only users have a department and a cost center. A number with several assignees counts ' +
    'under each of them.'
  const query = sql`select * from ${assignees} a
    order by (kind = 'User') is true desc, dept nulls last, cost_center nulls last, name, id`
  return [
    section(
      TITLE,
      text,
      ...detailsNote(runId(userDetails) !== undefined),
      await queryTable(db, { title: BY_GROUP, columns: GROUPS, empty: NOBODY }, groups),
      await queryTable(db, { title: 'By kind of assignee', columns: KINDS, empty: NOBODY }, kinds),
    ),
    listSection(cursorTable(db, { title: LIST, columns: COLUMNS, empty: NOBODY }, query)),
  ]
}

function detailsNote(read: boolean): Note[] {
  if (read) return []
  const so = 'cost centers are unknown, and departments come only from the list of users'
  return [note('warning', neverRead('User details were', { job: 'user-details', so }))]
}

const TITLE = 'Assignees'
const BY_GROUP = 'By department and cost center'
const LIST = 'Assignee list'
/** If an assignee has more numbers, its row lists none of them; the sheet All numbers has them. */
const MOST_LISTED = 50
const NOBODY = 'No numbers are assigned.'
const GROUPS = tableColumns([
  { name: 'dept', title: 'Department', format: 'text' },
  { name: 'cost_center', title: 'Cost center', format: 'text' },
  { name: 'people', title: 'People', format: 'integer' },
  { name: 'numbers', title: 'Numbers', format: 'integer' },
  { name: 'inactive', title: 'Of inactive users', format: 'integer' },
])
const KINDS = tableColumns([
  { name: 'kind', title: 'Kind', format: 'text', coded: 'service' },
  { name: 'holders', title: 'Assignees', format: 'integer' },
  { name: 'numbers', title: 'Numbers', format: 'integer' },
])
const COLUMNS = tableColumns([
  { name: 'name', title: 'Assigned to', format: 'text' },
  { name: 'kind', title: 'Kind', format: 'text' },
  { name: 'dept', title: 'Department', format: 'text' },
  { name: 'cost_center', title: 'Cost center', format: 'text' },
  { name: 'status', title: 'Status', format: 'text' },
  { name: 'numbers', title: 'Numbers', format: 'integer' },
  { name: 'number_list', title: 'Number list', format: 'text' },
  { name: 'id', title: 'Assignee ID', format: 'text' },
])
