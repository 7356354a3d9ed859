import { sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { sipGroups, sipTrunks } from '../../src/resources/number-settings.ts'
import { section } from '../shared/blocks.ts'
import { queryTable, tableColumns } from '../shared/query.ts'
import { type NumberSource, unreadSection } from './source.ts'

/** Compares SIP groups and trunks with the numbers that refer to them. */
export async function trunksSection(source: NumberSource): Promise<Section> {
  const { db, runId } = source
  if (runId(sipGroups) === undefined)
    return unreadSection(TITLE, { what: 'The SIP groups', job: 'number-settings' })
  const text =
    'Each number names its SIP group, and each group its trunk. Numbers from your own carrier ' +
    '(source BYOCCloud or BYOCPremises) should name a group. Rows with an issue come first. ' +
    'The service does not report the calls or the capacity of a trunk.'
  return section(
    TITLE,
    text,
    await queryTable(db, { title: TITLE, columns: TRUNKS, empty: NO_TRUNK }, trunksOf(source)),
    await queryTable(
      db,
      { title: 'SIP groups', columns: GROUPS, empty: NO_GROUP },
      groupsOf(source),
    ),
  )
}

/** Raw SQL, because it needs a full join: a group may have no numbers, and a number an unlisted group. */
function groupsOf({ rows, numbers }: NumberSource) {
  return sql`
    with used as (
      select sip_group_id, max(sip_group_name) as name, count(*)::int as numbers,
        count(*) filter (where assigned)::int as assigned,
        string_agg(distinct allocated_product, ', ') as products
      from ${numbers} n
      where sip_group_id is not null or source like 'BYOC%' group by sip_group_id)
    select case when u.sip_group_id is null and g.sip_group_id is null
          then 'carrier numbers without a group'
        when g.sip_group_id is null then 'not listed by the service'
        when u.sip_group_id is null then 'no numbers' else '' end as remark,
      coalesce(g.display_name, u.name) as name, g.sip_trunk_name as trunk, g.sip_trunk_type as kind,
      g.source_system, coalesce(u.numbers, 0) as numbers, coalesce(u.assigned, 0) as assigned, u.products,
      coalesce(g.sip_group_id, u.sip_group_id) as id
    from used u full join ${rows(sipGroups)} g on g.sip_group_id = u.sip_group_id
    order by remark desc, numbers desc, name, id`
}

/** Compares trunks with the numbers of their groups. The name of an unlisted trunk comes from its group. */
function trunksOf({ rows, numbers }: NumberSource) {
  return sql`
    with used as (
      select g.sip_trunk_id, max(g.sip_trunk_name) as name, count(distinct g.sip_group_id)::int as groups,
        count(n.id)::int as numbers, count(n.id) filter (where n.assigned)::int as assigned
      from ${rows(sipGroups)} g left join ${numbers} n on n.sip_group_id = g.sip_group_id
      where g.sip_trunk_id is not null group by g.sip_trunk_id)
    select case when t.sip_trunk_id is null then 'not listed by the service'
        when u.sip_trunk_id is null then 'no groups'
        when u.numbers = 0 then 'no numbers' else '' end as remark,
      coalesce(t.name, u.name) as name, t.carrier, t.region, coalesce(u.groups, 0) as groups,
      coalesce(u.numbers, 0) as numbers, coalesce(u.assigned, 0) as assigned,
      coalesce(t.sip_trunk_id, u.sip_trunk_id) as id
    from used u full join ${rows(sipTrunks)} t on t.sip_trunk_id = u.sip_trunk_id
    order by remark desc, numbers desc, name, id`
}

const TITLE = 'SIP trunks'
const NO_TRUNK = 'There are no SIP trunks.'
const NO_GROUP = 'There are no SIP groups.'
const TRUNKS = tableColumns([
  { name: 'name', title: 'Trunk', format: 'text' },
  { name: 'remark', title: 'Issue', format: 'text' },
  { name: 'carrier', title: 'Carrier', format: 'text' },
  { name: 'region', title: 'Region', format: 'text' },
  { name: 'groups', title: 'Groups', format: 'integer' },
  { name: 'numbers', title: 'Numbers', format: 'integer' },
  { name: 'assigned', title: 'Assigned', format: 'integer' },
  { name: 'id', title: 'Trunk ID', format: 'text' },
])
const GROUPS = tableColumns([
  { name: 'name', title: 'Group', format: 'text' },
  { name: 'remark', title: 'Issue', format: 'text' },
  { name: 'trunk', title: 'Trunk', format: 'text' },
  { name: 'kind', title: 'Kind', format: 'text', coded: 'service' },
  { name: 'source_system', title: 'Source system', format: 'text', coded: 'service' },
  { name: 'numbers', title: 'Numbers', format: 'integer' },
  { name: 'assigned', title: 'Assigned', format: 'integer' },
  { name: 'products', title: 'Product', format: 'text', coded: 'service' },
  { name: 'id', title: 'Group ID', format: 'text' },
])
