import { type RawBuilder, sql } from 'kysely'
import type { Note, Section, TableColumn } from '../../src/core/define/report.ts'
import { zonedInstant } from '../../src/core/time/zone.ts'
import { count, counted } from '../../src/core/values/quantities.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { neverRead, note, section } from '../shared/blocks.ts'
import { localInstant } from '../shared/local-time.ts'
import { cursorTable, queryRows, type Row, tableColumns, tableOf } from '../shared/query.ts'
import { monthName, percent } from '../shared/words.ts'
import type { RecordingRule } from './settings.ts'
import type { RecordingSource } from './source.ts'

/**
 * Returns the sessions that a rule requires to be recorded, and whether each has no recording, neither live
 * nor in the trash. Returns undefined without rules or session reports.
 */
export function requiredSessions({
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
      r.session_id is null as lacking,
      case when w.has_recording then 'recorded, but not listed' else 'not recorded' end as why
    from (${sql.join(wanted, sql` union all `)}) w
    left join (select distinct session_id from ${recordings} r) r on r.session_id = w.id`
}

/** How many sessions of a month a rule requires to be recorded, and how many lack a recording now. */
export interface RuleMonth extends Row {
  rule: string
  month: string
  required: number
  /** Not recorded, which breaks the rule. */
  lacking: number
  /** Recorded, but not listed, because the recording was deleted or is not ready. */
  gone: number
}

/** Reads each rule's months, the newest first. */
export async function readRuleMonths(
  { db, timeZone }: RecordingSource,
  query: RawBuilder<unknown> | undefined,
): Promise<RuleMonth[]> {
  if (query === undefined) return []
  const month = sql`to_char(start_time at time zone ${timeZone}, 'YYYY-MM')`
  return await queryRows<RuleMonth>(
    db,
    sql`select rule, coalesce(${month}, '(no time)') as month, count(*)::int as required,
        count(*) filter (where lacking and has_recording is not true)::int as lacking,
        count(*) filter (where lacking and has_recording)::int as gone,
        count(*) filter (where lacking and has_recording is not true)::float8 / count(*) as share
      from (${query}) u group by at, rule, 2 order by at, 2 desc`,
  )
}

/** Describes for each broken rule how many sessions lack a recording, and the last two whole months. */
export function ruleNotes(
  months: readonly RuleMonth[],
  { asOfMs, timeZone }: RecordingSource,
): Note[] {
  const now = zonedInstant(asOfMs, timeZone).slice(0, 7)
  return [...Map.groupBy(months, ({ rule }) => rule)].flatMap(([rule, all]) => {
    const [required, lacking] = [sumOf(all, 'required'), sumOf(all, 'lacking')]
    if (lacking === 0) return []
    const [last, before] = all.filter(({ month }) => /^\d/.test(month) && month < now)
    const said = [last, before].flatMap((one) =>
      one === undefined
        ? []
        : [`${percent(one.lacking / one.required)} in ${monthName(one.month)}`],
    )
    const trend = said.length === 0 ? '' : `; ${said.join(' after ')}`
    // A rule that most sessions break is rarely the fault of single hosts.
    const todo =
      lacking > required / 2 ? 'turn on automatic recording, or check the rule' : 'ask their hosts'
    const text =
      `${count(lacking)} of ${counted(required, 'session')} were not recorded, although the rule ` +
      `“${rule}” requires it (${percent(lacking / required)}${trend}): ${todo}.`
    return [{ ...note('bad', text), link: TITLE }]
  })
}

function sumOf(months: readonly RuleMonth[], field: 'required' | 'lacking'): number {
  return months.reduce((sum, month) => sum + month[field], 0)
}

export function unrecordedSection(
  { db, owner, settings }: RecordingSource,
  query: RawBuilder<unknown> | undefined,
  months: readonly RuleMonth[],
): Section {
  const title = TITLE
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
  // A rule may name session keys of others, so an owner's report shows only rules that apply to its sessions.
  const rules = settings.rules.filter(
    ({ name }) => owner === undefined || months.some(({ rule }) => rule === name),
  )
  const text =
    'Sessions that a rule requires to be recorded, but that have no recording, live or in the ' +
    `trash; by rule, the newest first. Rules: ${rulesText(rules)}. If a session was ` +
    'recorded but the recording is not listed, it was deleted or is not ready yet.'
  const table = {
    title,
    columns: COLUMNS,
    empty:
      'Every session that a rule requires to be recorded has a recording, as far as sessions ' +
      'were read.',
  }
  const shown = sql`select ${sql.join(COLUMNS.map(({ name }) => sql.id(name)))}
    from (${query}) u where lacking order by at, start_time desc, id`
  const byMonth = { title: 'Rules by month', columns: MONTH_COLUMNS }
  return section(title, text, tableOf(byMonth, months), cursorTable(db, table, shown))
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

const TITLE = 'Without recording'
const MONTH_COLUMNS: readonly TableColumn[] = [
  { name: 'month', title: 'Month', format: 'text' },
  { name: 'rule', title: 'Rule', format: 'text' },
  { name: 'required', title: 'Sessions to record', format: 'integer' },
  { name: 'lacking', title: 'Not recorded', format: 'integer' },
  { name: 'share', title: 'Share not recorded', format: 'percent' },
  { name: 'gone', title: 'Recorded, not listed', format: 'integer' },
]
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
