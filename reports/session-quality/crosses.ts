import { type RawBuilder, sql } from 'kysely'
import { daysOf } from '../shared/calendar.ts'
import { lastBegun } from '../shared/local-time.ts'
import { queryRows } from '../shared/query.ts'
import { type Band, type Counts, DURATIONS, type Grouping, SIZES, summedBy } from './facts.ts'
import { COUNTED } from './read-facts.ts'
import type { SessionSource } from './source.ts'
import { weekOf } from './weeks.ts'

/** The month's sessions by their properties, each with its ratings. */
export interface Crosses {
  /** By the number of the band, from 1; null for sessions without a value. */
  durations: ByBand
  sizes: ByBand
  /** By size and duration: `2 5` is the second size and the fifth duration. */
  sizesAndDurations: ReadonlyMap<string, Counts>
  /** `true`, `false`, or empty for sessions without a value. */
  pstn: ReadonlyMap<string, Counts>
  voip: ReadonlyMap<string, Counts>
  /** By telephone and VoIP: `true false` is telephone only. */
  pstnAndVoip: ReadonlyMap<string, Counts>
  recording: ReadonlyMap<string, Counts>
  /** Size, telephone and recording by week. */
  groupings: readonly Grouping[]
}

type ByBand = ReadonlyMap<number | null, Counts>

/** Reads the month once; each count is a sum of cells. */
export async function readCrosses(source: SessionSource): Promise<Crosses> {
  const cells = (await queryRows(source.db, crossesQuery(source))).map(
    ({ week, size, length, pstn, voip, recording, ...counts }) =>
      [{ week, size, length, pstn, voip, recording }, counts as Counts] as const,
  )
  const by = (...names: (keyof (typeof cells)[number][0])[]) =>
    summedBy(cells.map(([like, counts]) => [names.map((name) => like[name]).join(' '), counts]))
  const byBand = (name: 'size' | 'length'): ByBand =>
    new Map([...by(name)].map(([band, counts]) => [band === '' ? null : Number(band), counts]))
  const byWeek = (names: (keyof (typeof cells)[number][0])[], level: string) => {
    const like = cells.filter(([cell]) => names.map((name) => cell[name]).join(' ') === level)
    return summedBy(like.map(([{ week }, counts]) => [String(week), counts]))
  }
  const named = (
    names: (keyof (typeof cells)[number][0])[],
    levels: readonly (readonly [value: string, level: string, where: string])[],
  ) => levels.map(([value, level, where]) => ({ level, where, weeks: byWeek(names, value) }))
  const sizes = SIZES.map(
    ({ title }, at) => [String(at + 1), title, `in sessions of ${title} people`] as const,
  )
  return {
    groupings: [
      { by: 'Participants', levels: named(['size'], sizes) },
      { by: 'Telephone and computer', levels: named(['pstn', 'voip'], TELEPHONE) },
      { by: 'Recording', levels: named(['recording'], RECORDING) },
    ],
    durations: byBand('length'),
    sizes: byBand('size'),
    sizesAndDurations: by('size', 'length'),
    pstn: by('pstn'),
    voip: by('voip'),
    pstnAndVoip: by('pstn', 'voip'),
    recording: by('recording'),
  }
}

/** Groups by one boolean for each band, so that the planner knows how many groups there can be. */
function crossesQuery({ sessions, month, timeZone }: SessionSource): RawBuilder<unknown> {
  const [sizes, durations] = [reached('participants', SIZES), reached('seconds', DURATIONS)]
  const bands = [...sizes, ...durations]
  const [pstn, voip, recording] = ['has_pstn', 'has_voip', 'has_recording'].map((name) =>
    sql.id(name),
  )
  const told = bands.map(({ name, told: is }) => sql`${is} as ${name}`)
  const groups = [...bands.map(({ name }) => name), pstn, voip, recording, sql.id('week')]
  const weeks = [...new Set(daysOf(month.label).map(weekOf))]
  const week = lastBegun(weeks, sql.ref('s.began'), timeZone)
  return sql`
    select ${bandOf(sizes)} as size, ${bandOf(durations)} as length, ${pstn} as pstn, ${voip} as voip,
      ${recording} as recording, week::text as week, ${COUNTED}
    from (select s.*, ${week} as week, ${sql.join(told)} from ${sessions} s) s group by ${sql.join(groups)}`
}

interface Reached {
  name: RawBuilder<unknown>
  told: RawBuilder<boolean>
}

/** Returns for each band whether a measure reaches it, with a column name. */
function reached(measure: string, bands: readonly Band[]): Reached[] {
  return bands.map(({ from }) => ({
    name: sql.id(`${measure}_${from}`),
    told: sql`${sql.id(measure)} >= ${from}`,
  }))
}

/** Returns the number of the highest band reached, from 1; null if the measure is unknown. */
function bandOf(bands: readonly Reached[]): RawBuilder<number | null> {
  return sql.join(
    bands.map(({ name }) => sql`${name}::int`),
    sql` + `,
  )
}

const TELEPHONE = [
  ['false true', 'computer only', 'in sessions with computer audio only'],
  ['true true', 'both', 'in sessions with telephone and computer audio'],
  ['true false', 'telephone only', 'in sessions with telephone only'],
  ['false false', 'neither', 'in sessions without telephone and computer audio'],
] as const
const RECORDING = [
  ['true', 'recorded', 'in recorded sessions'],
  ['false', 'not recorded', 'in sessions that were not recorded'],
] as const
