import { sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { capitalize } from '../../src/core/values/text.ts'
import { peeringNumbers } from '../../src/resources/peering-numbers.ts'
import { figures, section } from '../shared/blocks.ts'
import { cursorTable, queryRows, tableColumns } from '../shared/query.ts'
import { type NumberSource, unreadSection } from './source.ts'

/** Compares the numbers that partners supply with the same numbers in the account. */
export async function peeringSection({
  db,
  runId,
  rows,
  keep,
  numbers,
}: NumberSource): Promise<Section> {
  if (runId(peeringNumbers) === undefined)
    return unreadSection(TITLE, {
      what: 'The partner numbers',
      job: 'number-settings',
    })
  // Raw SQL, because it finds the mismatch of each number.
  const supplied = await keep(
    'supplied',
    sql<object>`(
    select p.phone_number, p.sip_trunk_name, p.status as active, p.assigned as partner_assigned,
      p.allocated_product as partner_product, n.allocated_product as product, n.assigned,
      n.assigned_to, n.id,
      case when n.id is null then 'not in the account'
        when not p.status and n.assigned then 'inactive at the partner, but in use'
        when p.allocated_product is distinct from n.allocated_product then 'different product'
        when p.assigned is distinct from n.assigned then 'assigned on one side only' end as remark
    from ${rows(peeringNumbers)} p left join (
      select distinct on (number) number, id, allocated_product, assigned, assigned_to
      from ${numbers} n
      order by number, assigned desc, id) n on n.number = p.phone_number)`,
  )
  const found = await queryRows(
    db,
    sql`
    select coalesce(remark, 'matches') as remark, count(*)::int as numbers from ${supplied} s
    group by remark order by remark`,
  )
  const counts = found.map(({ remark, numbers: count = 0 }) => [capitalize(String(remark)), count])
  const text =
    'Compares the numbers that partners supply (the service’s list of peering numbers) with ' +
    'the same numbers in the account. Numbers in use that are inactive at the partner come ' +
    'first, then other mismatches. A number is inactive at the partner while it is being ' +
    'ported in, for example. The service does not report which numbers should come from a ' +
    'partner, so numbers that the list lacks are not found.'
  const query = sql`select * from ${supplied} s
    order by case when remark like 'inactive%' then 0 when remark is null then 2 else 1 end,
      remark, phone_number`
  const empty = 'No partner supplies numbers.'
  return section(
    TITLE,
    text,
    figures('Partner numbers', Object.fromEntries(counts)),
    cursorTable(db, { title: TITLE, columns: COLUMNS, empty }, query),
  )
}

const TITLE = 'Peering'
const COLUMNS = tableColumns([
  { name: 'phone_number', title: 'Number', format: 'text' },
  { name: 'remark', title: 'Mismatch', format: 'text' },
  { name: 'active', title: 'Active at partner', format: 'boolean' },
  { name: 'partner_assigned', title: 'Assigned at partner', format: 'boolean' },
  { name: 'partner_product', title: 'Product at partner', format: 'text', coded: 'service' },
  { name: 'assigned', title: 'Assigned in account', format: 'boolean' },
  { name: 'product', title: 'Product in account', format: 'text', coded: 'service' },
  { name: 'assigned_to', title: 'Assigned to', format: 'text' },
  { name: 'sip_trunk_name', title: 'Trunk group', format: 'text' },
  { name: 'id', title: 'ID', format: 'text' },
])
