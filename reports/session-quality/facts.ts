import { type RawBuilder, sql } from 'kysely'
import { daysOf } from '../shared/calendar.ts'
import { constant } from '../shared/constant.ts'
import { queryRows, type Row } from '../shared/query.ts'
import { wilson } from '../shared/statistics.ts'
import { intervalText } from '../shared/words.ts'
import { KINDS, QUALITIES, type SessionSource } from './source.ts'

export interface Band {
  title: string
  /** The lower bound, inclusive. */
  from: number
}

export const DURATIONS: readonly Band[] = [
  { title: 'under 5 min', from: 0 },
  { title: '5–15 min', from: 300 },
  { title: '15–30 min', from: 900 },
  { title: '30–60 min', from: 1_800 },
  { title: '1–2 h', from: 3_600 },
  { title: '2 h and more', from: 7_200 },
]
export const SIZES: readonly Band[] = [
  { title: '1 or none', from: 0 },
  { title: '2', from: 2 },
  { title: '3–5', from: 3 },
  { title: '6–10', from: 6 },
  { title: '11–25', from: 11 },
  { title: '26 and more', from: 26 },
]
export const FEATURES = [
  { column: 'has_voip', title: 'Computer audio (VoIP)' },
  { column: 'has_pstn', title: 'Telephone (PSTN)' },
  { column: 'has_video', title: 'Video' },
  { column: 'has_screen_share', title: 'Screen share' },
  { column: 'has_recording', title: 'Recording' },
  { column: 'has_session_summary', title: 'Summary' },
] as const

/**
 * How many sessions, participants and seconds, how many of each rating (`audio_bad`) and how many
 * that used a feature.
 */
export type Counts = Readonly<Record<string, number | null>>

/** What the sheets count, by month, by local day and by band. A band without sessions is missing. */
export interface Facts {
  /** Undefined where nothing of the month was read. */
  month: Counts | undefined
  before: Counts
  /** Without the days that were not read; one without sessions has no counts. */
  days: ReadonlyMap<string, Counts>
  /** Those of the month before on which there were sessions, where it is compared. */
  daysBefore: ReadonlyMap<string, Counts>
  /** By the number of the band, from 1; null for the sessions that do not say. */
  durations: ReadonlyMap<number | null, Counts>
  sizes: ReadonlyMap<number | null, Counts>
}

/**
 * One pass over both months, in a template for its grouping sets: the sessions fall into cells by day,
 * ratings and bands, some ten thousand at most however many sessions there are, and every count is a sum over
 * cells.
 */
export async function readFacts(source: SessionSource): Promise<Facts> {
  const rows = await queryRows(source.db, factsQuery(source))
  const part = (cut: string, earlier = false) =>
    rows.filter((row) => row.cut === cut && row.earlier === earlier)
  const keyed = <Key>(cut: string, column: string, earlier = false) =>
    new Map(part(cut, earlier).map((row) => [row[column] as Key, row as Counts]))
  const days = new Map(keyed<string>('day', 'day'))
  for (const day of daysOf(source.month.label))
    if (!days.has(day) && source.lacking.get(day) !== 'not read') days.set(day, {})
  return {
    month: days.size === 0 ? undefined : ((part('month')[0] ?? {}) as Counts),
    before: (part('month', true)[0] ?? {}) as Counts,
    days,
    daysBefore: keyed<string>('day', 'day', true),
    durations: keyed<number | null>('duration', 'duration_band'),
    sizes: keyed<number | null>('size', 'size_band'),
  }
}

function factsQuery({ sessionsOfBoth }: SessionSource): RawBuilder<unknown> {
  const ratings = KINDS.map(({ column }) => sql.id(column))
  const used = FEATURES.map(
    ({ column }) => sql`count(*) filter (where ${sql.id(column)})::int as ${sql.id(column)}`,
  )
  const sums = ['sessions', 'users', 'seconds', 'timed', ...FEATURES.map(({ column }) => column)]
  // Whatever a record says of its participants, the sum of all of them is a number.
  const totals = sums.map((name) => sql`sum(${sql.id(name)})::float8 as ${sql.id(name)}`)
  const counts = KINDS.flatMap(({ kind, column }) =>
    QUALITIES.map(
      (quality) =>
        sql`coalesce(sum(sessions) filter (where ${sql.id(column)} = ${constant(quality)}), 0)::bigint
          as ${sql.id(`${kind}_${quality}`)}`,
    ),
  )
  return sql`
    with cells as (
      select earlier, day, ${sql.join(ratings)},
        ${bandOf('seconds', DURATIONS)} as duration_band, ${bandOf('participants', SIZES)} as size_band,
        count(*)::int as sessions, sum(participants) as users, sum(seconds) as seconds,
        count(seconds)::int as timed, ${sql.join(used)}
      from ${sessionsOfBoth} s group by earlier, day, ${sql.join(ratings)},
        duration_band, size_band)
    select earlier, day::text as day, duration_band, size_band,
      case grouping(day, duration_band, size_band)
        when 7 then 'month' when 3 then 'day' when 5 then 'duration' else 'size' end as cut,
      ${sql.join([...totals, ...counts])}
    from cells c
    group by grouping sets ((earlier), (earlier, day), (earlier, duration_band), (earlier, size_band))`
}

function bandOf(measure: string, bands: readonly Band[]): RawBuilder<unknown> {
  const bounds = sql`${bands.map(({ from }) => from)}::float8[]`
  // Of the month before nothing is shown by band, so that its cells are few.
  return sql`case when not earlier then width_bucket(${sql.id(measure)}::float8, ${bounds}) end`
}

/** One kind's ratings: counts, and shares of the rated sessions. Nothing of what was not read. */
export function qualityOf(counts: Counts | undefined, kind: (typeof KINDS)[number]['kind']): Row {
  if (counts === undefined) return {}
  const row: Record<string, number | string | null> = { sessions: counts.sessions ?? 0 }
  const rated = QUALITIES.reduce((sum, quality) => sum + numberOf(counts, `${kind}_${quality}`), 0)
  for (const quality of QUALITIES) {
    const count = numberOf(counts, `${kind}_${quality}`)
    row[quality] = count
    row[`${quality}_share`] = rated === 0 ? null : count / rated
  }
  const interval = wilson({ of: rated, hits: numberOf(counts, `${kind}_bad`) })
  return { ...row, rated, bad_interval: interval === undefined ? null : intervalText(interval) }
}

export function numberOf(counts: Counts, name: string): number {
  return counts[name] ?? 0
}

/** Null where there is nothing to divide by. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}
