import { type RawBuilder, sql } from 'kysely'
import type { Section, TableColumn } from '../../src/core/report.ts'
import { cellsOf, queryRows, type Row } from '../shared/query.ts'
import type { SessionSource } from './source.ts'

const FEATURES = [
  { column: 'has_voip', title: 'Computer audio (VoIP)' },
  { column: 'has_pstn', title: 'Telephone (PSTN)' },
  { column: 'has_video', title: 'Video' },
  { column: 'has_screen_share', title: 'Screen share' },
  { column: 'has_recording', title: 'Recording' },
  { column: 'has_session_summary', title: 'Summary' },
] as const

/** In how many sessions each feature was used, against the month before. */
export async function useSection(source: SessionSource): Promise<Section> {
  const title = 'Use of features'
  const now = await readUse(source, source.sessions)
  const before = source.compared ? await readUse(source, source.sessionsBefore) : undefined
  const rows = FEATURES.map(({ column, title: feature }) => {
    const share = shareOf(now, column)
    const shareBefore = before === undefined ? null : shareOf(before, column)
    const change = share === null || shareBefore === null ? null : share - shareBefore
    const sessions = now[column] ?? 0
    const sessionsBefore = before?.[column] ?? null
    return { feature, sessions, share, sessionsBefore, shareBefore, change }
  })
  const columns = columnsOf(source)
  const series = [
    { name: source.before.label, tone: 'neutral', values: rows.map((row) => row.shareBefore) },
    { name: source.month.label, tone: 'accent', values: rows.map((row) => row.share) },
  ] as const
  return {
    title,
    blocks: [
      {
        kind: 'chart',
        title: 'Share of sessions that used it',
        chart: {
          type: 'bar',
          valueFormat: 'percent',
          categories: FEATURES.map((feature) => feature.title),
          series: before === undefined ? series.slice(1) : series,
        },
      },
      { kind: 'table', title, columns, rows: rows.map((row) => cellsOf(columns, row)) },
    ],
  }
}

function columnsOf({ month, before, compared }: SessionSource): TableColumn[] {
  const columns: TableColumn[] = [
    { name: 'feature', title: 'Feature', format: 'text' },
    { name: 'sessions', title: `Sessions ${month.label}`, format: 'integer' },
    { name: 'share', title: `Share ${month.label}`, format: 'percent' },
  ]
  if (!compared) return columns
  return [
    ...columns,
    { name: 'sessionsBefore', title: `Sessions ${before.label}`, format: 'integer' },
    { name: 'shareBefore', title: `Share ${before.label}`, format: 'percent' },
    { name: 'change', title: 'Change of share', format: 'percent' },
  ]
}

async function readUse({ db }: SessionSource, sessions: RawBuilder<unknown>): Promise<Row> {
  const counts = FEATURES.map(
    ({ column }) => sql`count(*) filter (where ${sql.id(column)})::int as ${sql.id(column)}`,
  )
  const query = sql`select count(*)::int as sessions, ${sql.join(counts)} from ${sessions} s`
  const [row] = await queryRows(db, query)
  return row ?? {}
}

function shareOf(row: Row, column: string): number | null {
  const { sessions, [column]: used } = row
  return typeof sessions === 'number' && typeof used === 'number' && sessions > 0
    ? used / sessions
    : null
}
