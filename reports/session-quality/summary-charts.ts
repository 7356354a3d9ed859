import { sql } from 'kysely'
import type { ChartBlock } from '../../src/core/report.ts'
import { queryRows, type Row } from '../shared/query.ts'
import { KINDS, QUALITIES, type SessionSource } from './source.ts'

/** Audio day by day as counts, and the bad share of all three kinds as lines. */
export async function dayCharts(source: SessionSource): Promise<ChartBlock[]> {
  const days = await readDays(source)
  const categories = days.map(({ label }) => String(label))
  return [
    {
      kind: 'chart',
      title: `Audio quality by day, ${source.month.label} (sessions)`,
      chart: {
        type: 'stacked-bar',
        valueFormat: 'integer',
        categories,
        series: QUALITIES.map((quality) => ({
          name: quality,
          tone: quality,
          values: days.map((day) => numberOf(day[quality])),
        })),
      },
    },
    {
      kind: 'chart',
      title: 'Share rated bad, by day (without quiet days)',
      width: 'half',
      chart: {
        type: 'line',
        valueFormat: 'percent',
        categories,
        series: KINDS.map(({ kind, title }, index) => ({
          name: title,
          ...(index === 0 ? { tone: 'bad' } : {}),
          values: days.map((day) => numberOf(day[`${kind}_bad_share`])),
        })),
      },
    },
  ]
}

/** Every kind's shares beside the month before. */
export function monthChart(
  { month, before: earlier }: SessionSource,
  now: Row,
  before: Row | undefined,
): ChartBlock[] {
  const bars = KINDS.flatMap(({ kind, title }) => [
    ...(before === undefined ? [] : [{ label: `${title} ${earlier.label}`, kind, row: before }]),
    { label: `${title} ${month.label}`, kind, row: now },
  ])
  return [
    {
      kind: 'chart',
      title: before === undefined ? 'Quality of the month' : 'Quality against the month before',
      width: 'half',
      chart: {
        type: 'stacked-bar-100',
        valueFormat: 'percent',
        categories: bars.map(({ label }) => label),
        series: QUALITIES.map((quality) => ({
          name: quality,
          tone: quality,
          values: bars.map(({ kind, row }) => numberOf(row[`${kind}_${quality}_share`])),
        })),
      },
    },
  ]
}

function readDays({ db, sessions, month }: SessionSource): Promise<Row[]> {
  const first = `${month.label}-01`
  const shares = KINDS.map(({ kind, column }) => {
    const name = sql.id(column)
    return sql`case when count(${name}) >= max(count(${name})) over () * ${sql.lit(QUIET)}
      then count(*) filter (where ${name} = 'bad')::float8 / nullif(count(${name}), 0) end
      as ${sql.id(`${kind}_bad_share`)}`
  })
  const counts = QUALITIES.map(
    (quality) => sql`count(*) filter (where audio_quality = ${quality})::int as ${sql.id(quality)}`,
  )
  return queryRows(
    db,
    sql`
    with by_day as (
      select day, ${sql.join(counts)}, ${sql.join(shares)} from ${sessions} s group by day)
    select to_char(d, 'FMDD') as label, by_day.*
    from generate_series(${first}::date, ${first}::date + interval '1 month - 1 day',
      interval '1 day') d left join by_day on by_day.day = d::date order by d`,
  )
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

/** Below this part of the busiest day's ratings one bad session would be a peak. */
const QUIET = 0.2
