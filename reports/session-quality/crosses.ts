import { type RawBuilder, sql } from 'kysely'
import { queryRows } from '../shared/query.ts'
import { type Band, type Counts, DURATIONS, SIZES, summedBy } from './facts.ts'
import { ratingCounts } from './read-facts.ts'
import { KINDS, type SessionSource } from './source.ts'

/** The month's sessions by what they were like, each with its ratings. */
export interface Crosses {
  /** By the number of the band, from 1; null for the sessions that do not say. */
  durations: ByBand
  sizes: ByBand
  /** By both: `2 5` is the second size and the fifth duration. */
  sizesAndDurations: ReadonlyMap<string, Counts>
  /** `true`, `false`, or empty for the sessions that do not say. */
  pstn: ReadonlyMap<string, Counts>
  voip: ReadonlyMap<string, Counts>
  /** By both: `true false` is by telephone alone. */
  pstnAndVoip: ReadonlyMap<string, Counts>
  recording: ReadonlyMap<string, Counts>
}

type ByBand = ReadonlyMap<number | null, Counts>

/** One pass over the month, in a template: the sessions fall into cells, and each count is a sum of them. */
export async function readCrosses(source: SessionSource): Promise<Crosses> {
  const cells = (await queryRows(source.db, crossesQuery(source))).map(
    ({ size, length, pstn, voip, recording, ...counts }) =>
      [{ size, length, pstn, voip, recording }, counts as Counts] as const,
  )
  const by = (...names: (keyof (typeof cells)[number][0])[]) =>
    summedBy(cells.map(([like, counts]) => [names.map((name) => like[name]).join(' '), counts]))
  const byBand = (name: 'size' | 'length'): ByBand =>
    new Map([...by(name)].map(([band, counts]) => [band === '' ? null : Number(band), counts]))
  return {
    durations: byBand('length'),
    sizes: byBand('size'),
    sizesAndDurations: by('size', 'length'),
    pstn: by('pstn'),
    voip: by('voip'),
    pstnAndVoip: by('pstn', 'voip'),
    recording: by('recording'),
  }
}

function crossesQuery({ sessions }: SessionSource): RawBuilder<unknown> {
  const ratings = KINDS.map(({ column }) => sql.id(column))
  return sql`
    with cells as (
      select ${bandOf('participants', SIZES)} as size, ${bandOf('seconds', DURATIONS)} as length,
        has_pstn as pstn, has_voip as voip, has_recording as recording, ${sql.join(ratings)},
        count(*)::int as sessions, sum(participants) as users, sum(seconds) as seconds,
        count(seconds)::int as timed
      from ${sessions} s group by 1, 2, 3, 4, 5, ${sql.join(ratings)})
    select size, length, pstn, voip, recording, sum(sessions)::float8 as sessions,
      sum(users)::float8 as users, sum(seconds)::float8 as seconds, sum(timed)::float8 as timed,
      ${sql.join(ratingCounts())}
    from cells c group by 1, 2, 3, 4, 5`
}

function bandOf(measure: string, bands: readonly Band[]): RawBuilder<unknown> {
  return sql`width_bucket(${sql.id(measure)}::float8, ${bands.map(({ from }) => from)}::float8[])`
}
