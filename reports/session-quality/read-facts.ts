import { type RawBuilder, sql } from 'kysely'
import { daysOf, weekdayOf } from '../shared/calendar.ts'
import { constant } from '../shared/constant.ts'
import { queryRows } from '../shared/query.ts'
import { type Counts, type Facts, FEATURES, summedBy } from './facts.ts'
import { KINDS, QUALITIES, type SessionSource } from './source.ts'

type Place = Readonly<Record<'day' | 'hour', string | number> & { compared: boolean }>
type Part = readonly [place: Place, counts: Counts]

/**
 * One pass over all months, in a template: the sessions fall into cells by day, hour and ratings, some
 * hundred thousand at most however many there are, and every count is a sum over cells.
 */
export async function readFacts(source: SessionSource): Promise<Facts> {
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
  }
}

function factsQuery({ sessionsOfAll }: SessionSource): RawBuilder<unknown> {
  const ratings = KINDS.map(({ column }) => sql.id(column))
  const used = FEATURES.map(
    ({ column }) => sql`count(*) filter (where ${sql.id(column)})::int as ${sql.id(column)}`,
  )
  const sums = ['sessions', 'users', 'seconds', 'timed', ...FEATURES.map(({ column }) => column)]
  // Whatever a record says of its participants, the sum of all of them is a number.
  const totals = sums.map((name) => sql`sum(${sql.id(name)})::float8 as ${sql.id(name)}`)
  return sql`
    with cells as (
      select day, hour, compared, ${sql.join(ratings)}, count(*)::int as sessions,
        sum(participants) as users, sum(seconds) as seconds, count(seconds)::int as timed,
        ${sql.join(used)}
      from ${sessionsOfAll} s group by day, hour, compared, ${sql.join(ratings)})
    select day::text as day, hour, compared, ${sql.join([...totals, ...ratingCounts()])}
    from cells c group by day, hour, compared`
}

/** How many sessions of the cells have each rating of each kind, as `audio_bad`. */
export function ratingCounts(): RawBuilder<unknown>[] {
  return KINDS.flatMap(({ kind, column }) =>
    QUALITIES.map(
      (quality) =>
        sql`coalesce(sum(sessions) filter (where ${sql.id(column)} = ${constant(quality)}), 0)::float8
          as ${sql.id(`${kind}_${quality}`)}`,
    ),
  )
}
