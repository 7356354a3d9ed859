import { type RawBuilder, sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { neverRead, section } from '../shared/blocks.ts'
import { localInstant } from '../shared/local-time.ts'
import { cursorTable, queryRows, tableColumns } from '../shared/query.ts'
import type { RecordingRule } from './settings.ts'
import type { RecordingSource } from './source.ts'

/**
 * Returns sessions that a rule requires to be recorded and that have no recording, live or in the trash.
 * Returns undefined without rules or session reports.
 */
export function unrecorded({
  rows,
  runId,
  settings: { rules },
  recordings,
  timeZone,
}: RecordingSource): RawBuilder<unknown> | undefined {
  if (rules.length === 0 || runId(sessionReports) === undefined) return undefined
  const seconds = sql`coalesce(s.duration, extract(epoch from s.end_time - s.start_time))`
  const wanted = rules.map(
    ({ name, sessionKeys, minParticipants, minMinutes }, at) => sql`
    select ${at}::int as at, ${name}::text as rule, s.id, s.session_key, s.session_name, s.start_time,
      s.user_count, ${seconds}::float8 as seconds, s.has_recording
    from ${rows(sessionReports)} s
    where ${sessionKeys === null ? sql`true` : sql`coalesce(s.session_key ~ ${sessionKeys}, false)`}
      and coalesce(s.user_count, 0) >= ${minParticipants}::int
      and coalesce(${seconds}, 0) >= ${minMinutes * 60}::int`,
  )
  return sql`
    select w.*, ${localInstant(sql`w.start_time`, timeZone)} as started,
      case when w.has_recording then 'recorded, but not listed' else 'not recorded' end as why
    from (${sql.join(wanted, sql` union all `)}) w
    where not exists (select from ${recordings} r where r.session_id = w.id)`
}

/** Counts the sessions that violate each rule. */
export async function readUnrecorded(
  { db }: RecordingSource,
  query: RawBuilder<unknown> | undefined,
): Promise<ReadonlyMap<string, number>> {
  if (query === undefined) return new Map()
  const rows = await queryRows(
    db,
    sql`select rule, count(*)::int as sessions from (${query}) u group by rule, at order by at`,
  )
  return new Map(rows.map(({ rule, sessions }) => [String(rule), Number(sessions)]))
}

export function unrecordedSection(
  { db, settings }: RecordingSource,
  query: RawBuilder<unknown> | undefined,
): Section {
  const title = 'Without recording'
  if (query === undefined) {
    const text =
      settings.rules.length === 0
        ? 'No rules are configured. To find sessions that should have been recorded, add rules ' +
          'under reports.settings.recordings.rules.'
        : neverRead('Session reports were', {
            job: 'session-reports',
            so: 'no rule can be checked',
          })
    return section(title, text)
  }
  const text =
    'Sessions that a rule requires to be recorded, but that have no recording, live or in the ' +
    `trash; by rule, the newest first. Rules: ${rulesText(settings.rules)}. If a session was ` +
    'recorded but the recording is not listed, it was deleted or is not ready yet.'
  const table = {
    title,
    columns: COLUMNS,
    empty:
      'Every session that a rule requires to be recorded has a recording, as far as sessions ' +
      'were read.',
  }
  const shown = sql`select ${sql.join(COLUMNS.map(({ name }) => sql.id(name)))}
    from (${query}) u order by at, start_time desc, id`
  return section(title, text, cursorTable(db, table, shown))
}

function rulesText(rules: readonly RecordingRule[]): string {
  const texts = rules.map(({ name, sessionKeys, minParticipants, minMinutes }) => {
    const of = [
      ...(sessionKeys === null ? [] : [`session key matches ${sessionKeys}`]),
      ...(minParticipants === 0 ? [] : [`at least ${minParticipants} participants`]),
      ...(minMinutes === 0 ? [] : [`at least ${minMinutes} minutes`]),
    ]
    return `“${name}” (${of.length === 0 ? 'any session' : of.join(', ')})`
  })
  return texts.join('; ')
}

const COLUMNS = tableColumns([
  { name: 'rule', title: 'Rule', format: 'text' },
  { name: 'started', title: 'Began', format: 'instant' },
  { name: 'session_key', title: 'Session key', format: 'text' },
  { name: 'session_name', title: 'Session', format: 'text' },
  { name: 'user_count', title: 'Participants', format: 'integer' },
  { name: 'seconds', title: 'Length', format: 'seconds' },
  { name: 'why', title: 'Reason', format: 'text' },
  { name: 'id', title: 'Session ID', format: 'text' },
])
