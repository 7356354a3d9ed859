import { type RawBuilder, sql } from 'kysely'
import { queryRows } from '../shared/query.ts'
import { type Band, type Counts, DURATIONS, SIZES, summedBy } from './facts.ts'
import { COUNTED } from './read-facts.ts'
import type { SessionSource } from './source.ts'

/** The month's sessions by their properties, each with its ratings. */
export interface Crosses {
  /** By the number of the band, from 1; null for sessions without a value. */
  durations: ByBand
  sizes: ByBand
  /** By both: `2 5` is the second size and the fifth duration. */
  sizesAndDurations: ReadonlyMap<string, Counts>
  /** `true`, `false`, or empty for sessions without a value. */
  pstn: ReadonlyMap<string, Counts>
  voip: ReadonlyMap<string, Counts>
  /** By both: `true false` is telephone only. */
  pstnAndVoip: ReadonlyMap<string, Counts>
  recording: ReadonlyMap<string, Counts>
}

type ByBand = ReadonlyMap<number | null, Counts>

/** Reads the month once; each count is a sum of cells. */
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

/** Groups by one boolean for each band, so that the planner knows how many groups there can be. */
function crossesQuery({ sessions }: SessionSource): RawBuilder<unknown> {
  const [sizes, durations] = [reached('participants', SIZES), reached('seconds', DURATIONS)]
  const bands = [...sizes, ...durations]
  const [pstn, voip, recording] = ['has_pstn', 'has_voip', 'has_recording'].map((name) =>
    sql.id(name),
  )
  const told = bands.map(({ name, told: is }) => sql`${is} as ${name}`)
  const groups = [...bands.map(({ name }) => name), pstn, voip, recording]
  return sql`
    select ${bandOf(sizes)} as size, ${bandOf(durations)} as length, ${pstn} as pstn, ${voip} as voip,
      ${recording} as recording, ${COUNTED}
    from (select s.*, ${sql.join(told)} from ${sessions} s) s group by ${sql.join(groups)}`
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

/** The number of the highest band reached, from 1; null if the measure is unknown. */
function bandOf(bands: readonly Reached[]): RawBuilder<number | null> {
  return sql.join(
    bands.map(({ name }) => sql`${name}::int`),
    sql` + `,
  )
}
