import { type RawBuilder, sql } from 'kysely'
import { daysOf } from '../shared/calendar.ts'
import { lastBegun } from '../shared/local-time.ts'
import { queryRows } from '../shared/query.ts'
import {
  type Band,
  type Counts,
  DURATIONS,
  type Grouping,
  type GroupLevel,
  SIZES,
  summedBy,
} from './facts.ts'
import { BAD_OR_NOT, COUNTED } from './read-facts.ts'
import type { SessionSource } from './source.ts'
import { weekOf } from './weeks.ts'

/** The month's sessions by their properties, each with its ratings. */
export interface Crosses {
  /** By the number of the band, from 1; null for sessions without a value. */
  durations: ByBand
  sizes: ByBand
  /** Counts by size and duration: `2 5` is the second size and the fifth duration. */
  sizesAndDurations: ReadonlyMap<string, Counts>
  /** By `true`, `false`, or an empty text for sessions without a value. */
  pstn: ReadonlyMap<string, Counts>
  voip: ReadonlyMap<string, Counts>
  /** By telephone and VoIP: `true false` is telephone only. */
  pstnAndVoip: ReadonlyMap<string, Counts>
  recording: ReadonlyMap<string, Counts>
  /** By week and size, telephone or recording, over all months. */
  groupings: readonly Grouping[]
}

type ByBand = ReadonlyMap<number | null, Counts>

/** Reads the month once, and the earlier months once for the groupings. Each count is a sum of cells. */
export async function readCrosses(source: SessionSource): Promise<Crosses> {
  const { sessions, sessionsEarlier, month, months } = source
  const own = await readCells(source, { of: sessions, months: [month.label], counts: COUNTED })
  const earlier = await readCells(source, {
    of: sessionsEarlier,
    months: months.slice(0, -1),
    counts: BAD_OR_NOT,
  })
  const by = (...names: Property[]) =>
    summedBy(own.map(([like, counts]) => [names.map((name) => like[name]).join(' '), counts]))
  const byBand = (name: 'size' | 'length'): ByBand =>
    new Map([...by(name)].map(([band, counts]) => [band === '' ? null : Number(band), counts]))
  const levels = (
    name: Property,
    named: readonly (readonly [string, Omit<GroupLevel, 'weeks'>])[],
  ) =>
    named.map(([value, level]) => {
      const like = [...own, ...earlier].filter(([cell]) => String(cell[name]) === value)
      const weeks = summedBy(like.map(([{ week }, counts]) => [String(week), counts]))
      return { ...level, weeks }
    })
  const sheet = 'Bad ratings crossed'
  return {
    groupings: [
      { by: 'Participants', sheet, levels: levels('size', SIZE_LEVELS) },
      { by: 'Telephone', sheet, levels: levels('pstn', TELEPHONE) },
      { by: 'Recording', sheet, levels: levels('recording', RECORDING) },
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

type Property = 'size' | 'length' | 'pstn' | 'voip' | 'recording' | 'week'

interface CellsRead {
  of: SessionSource['sessions']
  months: readonly string[]
  counts: typeof COUNTED
}

/**
 * Counts sessions by their properties and week. Only the month's own counts include duration and computer
 * audio, because each further property makes more groups.
 */
async function readCells(source: SessionSource, read: CellsRead) {
  const rows = await queryRows(source.db, cellsQuery(source, read))
  return rows.map(({ week, size, length, pstn, voip, recording, ...counts }) => {
    const cell: Partial<Record<Property, unknown>> = { week, size, length, pstn, voip, recording }
    return [cell, counts as Counts] as const
  })
}

/** Groups by one boolean per band, so that the planner knows how many groups are possible. */
function cellsQuery(
  { month, timeZone }: SessionSource,
  { of, months, counts }: CellsRead,
): RawBuilder<unknown> {
  const own = months.includes(month.label)
  const [sizes, durations] = [
    reached('participants', SIZES),
    own ? reached('seconds', DURATIONS) : [],
  ]
  const flags = ['pstn', 'recording', ...(own ? ['voip'] : [])]
  const bands = [...sizes, ...durations]
  const told = bands.map(({ name, told: is }) => sql`${is} as ${name}`)
  const has = flags.map((flag) => sql.id(`has_${flag}`))
  const groups = [...bands.map(({ name }) => name), ...has, sql.id('week')]
  const shown = [
    sql`${bandOf(sizes)} as size`,
    ...(own ? [sql`${bandOf(durations)} as length`] : []),
    ...flags.map((flag) => sql`${sql.id(`has_${flag}`)} as ${sql.id(flag)}`),
  ]
  const weeks = [...new Set(months.flatMap(daysOf).map(weekOf))]
  const week = lastBegun(weeks, sql.ref('s.began'), timeZone)
  return sql`
    select ${sql.join(shown)}, week::text as week, ${counts}
    from (select s.*, ${week} as week, ${sql.join(told)} from ${of} s) s group by ${sql.join(groups)}`
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

const SIZE_LEVELS = SIZES.map(({ title }, at) => {
  const where = at === 0 ? 'of one person or none' : `of ${title} people`
  return [String(at + 1), { level: title, where, todo: 'try them with fewer cameras on' }] as const
})
const TELEPHONE = [
  ['true', { level: 'with', where: 'with a telephone', todo: 'ask the telephone carrier' }],
  [
    'false',
    { level: 'without', where: 'without a telephone', todo: 'ask for headsets and wired networks' },
  ],
] as const
const RECORDING = [
  ['true', { level: 'recorded', where: 'with a recording', todo: 'try them without a recording' }],
  [
    'false',
    { level: 'not recorded', where: 'without a recording', todo: 'ask what else they share' },
  ],
] as const
