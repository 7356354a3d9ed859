import { type RawBuilder, sql } from 'kysely'
import type { ChartBlock, Section, TableColumn } from '../../src/core/report.ts'
import { cellsOf, queryRows, type Row } from '../shared/query.ts'
import type { SessionSource } from './source.ts'

interface Band {
  title: string
  /** The lower bound, inclusive. */
  from: number
}

const DURATIONS: readonly Band[] = [
  { title: 'under 5 min', from: 0 },
  { title: '5–15 min', from: 300 },
  { title: '15–30 min', from: 900 },
  { title: '30–60 min', from: 1_800 },
  { title: '1–2 h', from: 3_600 },
  { title: '2 h and more', from: 7_200 },
]
const SIZES: readonly Band[] = [
  { title: '1 or none', from: 0 },
  { title: '2', from: 2 },
  { title: '3–5', from: 3 },
  { title: '6–10', from: 6 },
  { title: '11–25', from: 11 },
  { title: '26 and more', from: 26 },
]

/**
 * How long sessions last and how many take part, and whether the bad ones are the long or the large
 * ones.
 */
export async function bandsSection(source: SessionSource): Promise<Section> {
  const durations = await readBands(source, sql`seconds`, DURATIONS)
  const sizes = await readBands(source, sql`user_count`, SIZES)
  return {
    title: 'Duration and size',
    blocks: [
      chart('Sessions by duration', durations),
      chart('Sessions by number of participants', sizes),
      table('By duration', 'Duration', durations),
      table('By number of participants', 'Participants', sizes),
    ],
  }
}

async function readBands(
  { db, sessions }: SessionSource,
  measure: RawBuilder<unknown>,
  bands: readonly Band[],
): Promise<Row[]> {
  const bounds = sql`${bands.map(({ from }) => from)}::float8[]`
  const rows = await queryRows(
    db,
    sql`select width_bucket(${measure}::float8, ${bounds})::int as band, count(*)::int as sessions,
        count(*)::float8 / sum(count(*)) over () as share,
        sum(user_count)::int as users, avg(seconds)::float8 as seconds,
        count(*) filter (where audio_quality = 'bad')::float8 / nullif(count(audio_quality), 0)
          as bad_audio_share,
        count(*) filter (where video_quality = 'bad')::float8 / nullif(count(video_quality), 0)
          as bad_video_share
      from ${sessions} s where ${measure} is not null group by 1`,
  )
  return bands.map(({ title }, index) => ({
    sessions: 0,
    ...rows.find(({ band }) => band === index + 1),
    title,
  }))
}

function chart(title: string, bands: readonly Row[]): ChartBlock {
  return {
    kind: 'chart',
    title,
    width: 'half',
    chart: {
      type: 'bar',
      valueFormat: 'integer',
      categories: bands.map((band) => String(band.title)),
      series: [{ name: 'Sessions', tone: 'accent', values: bands.map(sessionsOf) }],
    },
  }
}

function table(title: string, first: string, bands: readonly Row[]) {
  const columns: TableColumn[] = [
    { name: 'title', title: first, format: 'text' },
    { name: 'sessions', title: 'Sessions', format: 'integer' },
    { name: 'share', title: 'Share', format: 'percent' },
    { name: 'users', title: 'Participants', format: 'integer' },
    { name: 'seconds', title: 'Mean duration', format: 'seconds' },
    { name: 'bad_audio_share', title: 'Bad audio share', format: 'percent', tint: 'bad-share' },
    { name: 'bad_video_share', title: 'Bad video share', format: 'percent', tint: 'bad-share' },
  ]
  const rows = bands.map((band) => cellsOf(columns, band))
  return { kind: 'table', title, columns, rows } as const
}

function sessionsOf({ sessions }: Row): number {
  return typeof sessions === 'number' ? sessions : 0
}
