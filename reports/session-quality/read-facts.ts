import { type RawBuilder, sql } from 'kysely'
import { daysOf, weekdayOf } from '../shared/calendar.ts'
import { queryRows } from '../shared/query.ts'
import { type Counts, FEATURES, type QualityFacts, summedBy } from './facts.ts'
import { hourGrouping } from './groups.ts'
import { isRated, KINDS, QUALITIES, type SessionSource } from './source.ts'
import { weekOf } from './weeks.ts'

type Place = Readonly<Record<'day' | 'hour', string | number> & { compared: boolean }>
type Part = readonly [place: Place, counts: Counts]

/**
 * Reads all months once. Groups by few columns, so that parallel workers can hash their parts: with the
 * ratings as additional columns, the planner expects more groups than fit in memory, and sorts every session
 * on disk.
 */
export async function readFacts(source: SessionSource): Promise<QualityFacts> {
  const parts = (await queryRows(source.db, factsQuery(source))).map(
    ({ day, hour, compared, ...counts }): Part => [
      { day: String(day), hour: Number(hour), compared: compared === true },
      counts as Counts,
    ],
  )
  const before = source.compared ? parts.filter(([{ compared }]) => compared) : []
  const counted = summedBy(parts.map(([{ day }, counts]) => [String(day), counts]))
  const read = new Map<string, Counts>()
  for (const day of source.months.flatMap(daysOf))
    if (counted.has(day) || source.lacking.get(day) !== 'not read')
      read.set(day, counted.get(day) ?? {})
  const { label } = source.month
  const months = summedBy([...read].map(([day, counts]) => [day.slice(0, 7), counts]))
  return {
    month: months.get(label),
    before: summedBy(before.map(([, counts]) => ['', counts])).get('') ?? {},
    days: new Map([...read].filter(([day]) => day.startsWith(label))),
    daysBefore: summedBy(before.map(([{ day }, counts]) => [String(day), counts])),
    earlier: new Map([...read].filter(([day]) => !day.startsWith(label))),
    months,
    hours: summedBy(
      parts.map(([{ day, hour }, counts]) => [`${weekdayOf(String(day))} ${hour}`, counts]),
    ),
    hourBlocks: hourGrouping(
      parts.map(([{ day, hour }, counts]) => [
        { weekday: weekdayOf(String(day)), week: weekOf(String(day)), hour: Number(hour) },
        counts,
      ]),
    ),
  }
}

/**
 * Counts by quarter of an hour, which is within one local hour in every time zone, and then by local hour.
 * Computing the local time of each session would take longer than all the counting.
 */
function factsQuery({ sessionsOfAll, timeZone }: SessionSource): RawBuilder<unknown> {
  const used = FEATURES.map(({ column: name }) => ({
    name,
    count: sql`count(*) filter (where ${sql.id(name)})`,
  }))
  const sums = [...COUNTS, ...used].map(({ name }) => sql`sum(${sql.id(name)}) as ${sql.id(name)}`)
  return sql`
    with quarters as (
      select date_bin('15 minutes', began, 'epoch'::timestamptz) as began, compared, ${COUNTED},
        ${sql.join(used.map(countAs))}
      from ${sessionsOfAll} s group by 1, 2)
    select day::text as day, extract(hour from local)::int as hour, compared, ${sql.join(sums)}
    from quarters q cross join lateral (values (began at time zone ${timeZone})) l (local)
      cross join lateral (values (local::date)) d (day)
    group by 1, 2, 3`
}

const RATINGS = KINDS.flatMap(({ kind, column }) => [
  ...QUALITIES.map((quality) => ({
    name: `${kind}_${quality}`,
    count: sql`count(*) filter (where ${isRated(sql.ref(column), [quality])})`,
  })),
  { name: `${kind}_said`, count: sql`count(*) filter (where ${sql.ref(column)} <> '')` },
])
const COUNTS = [
  { name: 'sessions', count: sql`count(*)` },
  // Without a cast to int, because a record may have any participant count.
  { name: 'users', count: sql`sum(participants)` },
  { name: 'seconds', count: sql`sum(seconds)` },
  { name: 'timed', count: sql`count(seconds)` },
  ...RATINGS,
]

/** The counted columns; ratings are named like `audio_bad`. */
export const COUNTED = sql.join(COUNTS.map(countAs))

/** Only the columns that shares of bad sessions need: `good` counts all ratings that are not bad. */
export const BAD_OR_NOT = sql.join(
  KINDS.flatMap(({ kind, column }) =>
    ([['bad'], ['good', 'fair', 'poor']] as const).map((words) => {
      const count = sql`count(*) filter (where ${isRated(sql.ref(column), words)})`
      return countAs({ name: `${kind}_${words[0]}`, count })
    }),
  ),
)

function countAs({ name, count }: { name: string; count: RawBuilder<unknown> }) {
  return sql`${count}::float8 as ${sql.id(name)}`
}
