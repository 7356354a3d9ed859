import { sql } from 'kysely'
import type { ReportContext, Section } from '../../src/core/declare/report.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { instantOf } from '../shared/local-time.ts'
import { queryRows, type Row } from '../shared/query.ts'
import { grouped } from '../shared/words.ts'

/** Tells on the cover of sessions without any time, which may be of the month and are in none. */
export async function untimedSections({
  db,
  rows,
  periods,
}: Pick<ReportContext<unknown>, 'db' | 'rows' | 'periods'>): Promise<Section[]> {
  const [row] = await queryRows<Row & { sessions: number }>(
    db,
    sql`
    select count(*)::int as sessions from ${rows(sessionReports)} s
    where start_time is null and end_time is null
      and _first_seen_at >= ${instantOf(periods?.period.fromMs ?? 0)}`,
  )
  const sessions = row?.sessions ?? 0
  if (sessions === 0) return []
  const text =
    `${grouped(sessions)} ${sessions === 1 ? 'session has' : 'sessions have'} no time on record, so no ` +
    `month counts ${sessions === 1 ? 'it' : 'them'}.`
  const note = { kind: 'note', tone: 'warning', text } as const
  return [{ title: 'Cover', cover: true, blocks: [note] }]
}
