import { sql } from 'kysely'
import type { Section, TableColumn } from '../../src/core/report.ts'
import { queryTable } from '../shared/query.ts'
import { qualityTableColumns } from './by-month.ts'
import { KINDS, qualityColumns, type Kind, type SessionSource } from './source.ts'

/** One sheet for each kind: every day of the month, the ones without sessions too. */
export async function daySections(source: SessionSource): Promise<Section[]> {
  const sections: Section[] = []
  for (const kind of KINDS) sections.push(await daySection(source, kind))
  return sections
}

async function daySection(source: SessionSource, kind: Kind): Promise<Section> {
  const title = `${kind.title} by day`
  const columns: TableColumn[] = [
    { name: 'day', title: 'Day', format: 'date' },
    { name: 'weekday', title: 'Weekday', format: 'text' },
    ...qualityTableColumns,
    {
      name: 'change',
      title: `Bad share against ${source.before.label}`,
      format: 'percent',
      tint: 'delta',
    },
  ]
  const first = `${source.month.label}-01`
  const query = sql`
    with days as (
      select d::date as day from generate_series(${first}::date,
        ${first}::date + interval '1 month - 1 day', interval '1 day') d),
    by_day as (select day, ${qualityColumns(kind)} from ${source.sessions} s group by day),
    before as (select ${qualityColumns(kind)} from ${source.sessionsBefore} s)
    select days.day::text as day, to_char(days.day, 'Dy') as weekday,
      coalesce(q.sessions, 0) as sessions, coalesce(q.rated, 0) as rated,
      coalesce(q.good, 0) as good, coalesce(q.fair, 0) as fair,
      coalesce(q.poor, 0) as poor, coalesce(q.bad, 0) as bad,
      q.good_share, q.fair_share, q.poor_share, q.bad_share,
      case when ${source.compared} then q.bad_share - before.bad_share end as change
    from days cross join before left join by_day q using (day) order by days.day`
  return { title, blocks: [await queryTable(source.db, { title, columns }, query)] }
}
