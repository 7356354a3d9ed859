import type { Section } from '../../src/core/define/report.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { note } from '../shared/blocks.ts'
import { rowCount } from '../shared/expressions.ts'
import { instantOf } from '../shared/local-time.ts'
import { grouped } from '../shared/words.ts'
import type { SessionSource } from './source.ts'

/** Tells in the provenance of sessions without any time, which may be of the month and are in none. */
export async function untimedSections({ db, rows, month }: SessionSource): Promise<Section[]> {
  const { sessions } = await db
    .selectFrom(rows(sessionReports).as('s'))
    .select(rowCount.as('sessions'))
    .where('s.start_time', 'is', null)
    .where('s.end_time', 'is', null)
    .where('s._first_seen_at', '>=', instantOf(month.fromMs))
    .executeTakeFirstOrThrow()
  if (sessions === 0) return []
  const text =
    `${grouped(sessions)} ${sessions === 1 ? 'session has' : 'sessions have'} no time on record, so no ` +
    `month counts ${sessions === 1 ? 'it' : 'them'}.`
  return [{ title: 'Provenance', provenance: true, blocks: [note('warning', text)] }]
}
