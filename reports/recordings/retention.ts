import { type RawBuilder, sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { isAuditSettings } from '../../src/core/records/audit-settings.ts'
import { recordingSessions, TRASH_DAYS } from '../../src/resources/recordings.ts'
import { note, section } from '../shared/blocks.ts'
import { localInstant } from '../shared/local-time.ts'
import { queryRows, tableColumns, tableOf } from '../shared/query.ts'
import { gigabytes, type RecordingSource } from './source.ts'

/** Groups recordings by what decides when they leave: at the service, and in the archive. */
export async function retentionSection(source: RecordingSource): Promise<Section> {
  const { db, coverage } = source
  const rule = await readRule(source)
  const text =
    'Recordings by what decides when they leave. For a recording outside the trash the service reports ' +
    'no date. The archive removes its copies by archive.retention when "callsheet archive prune" runs; ' +
    'a legal hold keeps them longer.'
  const unread = rule === undefined ? [note('warning', UNKNOWN_RULES)] : []
  const empty = `${coverage.whole ? '' : 'As far as data was read: '}There are no recordings.`
  return section(
    'By retention rule',
    text,
    ...unread,
    tableOf(
      { title: 'At the service', columns: COLUMNS, empty },
      await queryRows(db, atService(source)),
    ),
    tableOf(
      { title: 'In the archive', columns: COLUMNS, empty: 'The archive has no recordings.' },
      await queryRows(db, inArchive(source, rule)),
    ),
  )
}

/**
 * Returns the first retention rule without boards and labels, because recordings have neither. Returns null
 * if no rule removes recordings, and undefined if the rules are unknown.
 */
async function readRule({
  db,
  account,
}: RecordingSource): Promise<{ place: number; days: number } | null | undefined> {
  const last = await db
    .selectFrom('callsheet.audit_settings')
    .select('settings')
    .where('account', '=', account)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!isAuditSettings(last?.settings)) return undefined
  const { retention } = last.settings
  const place = retention.findIndex(
    ({ whiteboards, labels }) => (whiteboards ?? labels) === undefined,
  )
  const days = retention[place]?.keep_days
  return days === undefined ? null : { place, days }
}

function atService({ files, timeZone }: RecordingSource): RawBuilder<unknown> {
  const leaves = sql<string | null>`(min(deleted_time) + make_interval(days => ${TRASH_DAYS}::int))`
  return sql`
    select rule, count(distinct session_id)::int as recordings, count(*)::int as files,
      ${gigabytes(sql`sum(bytes)`)} as gigabytes,
      case when min(place) = 1 then ${localInstant(leaves, timeZone)} end as next
    from (select f.*, case when trashed or deleted_time is not null
          then case when deleted_time is null then 2 else 1 end
          when external then 3 else 4 end as place
        from ${files} f) f
      cross join lateral (select (${SERVICE_RULES}::text[])[place] as rule) r
    group by rule order by min(place)`
}

function inArchive(
  { account, owner, rows, goneRows, timeZone }: RecordingSource,
  rule: { place: number; days: number } | null | undefined,
): RawBuilder<unknown> {
  const began = sql`select session_id, start_time from ${rows(recordingSessions)} r
    union all select session_id, start_time from ${goneRows(recordingSessions)} g`
  const leaves = sql<string | null>`(min(at) + make_interval(days => ${rule?.days ?? 0}::int))`
  // A copy of an unknown session belongs to nobody.
  const ofOwner = owner === undefined ? sql`left` : sql`inner`
  const next = rule ? localInstant(leaves, timeZone) : sql`null::text`
  const named =
    rule === undefined
      ? 'Unknown'
      : rule === null
        ? 'No rule: kept until you add one'
        : `archive.retention[${rule.place}]: ${rule.days} days after the session began`
  return sql`
    select ${named}::text as rule, count(distinct parent)::int as recordings, count(*)::int as files,
      ${gigabytes(sql`sum(size)`)} as gigabytes, ${next} as next
    from (select a.parent, a.size, coalesce(b.start_time, a.state_at) as at
      from callsheet.files a ${ofOwner} join (${began}) b on b.session_id = a.parent
      where a.account = ${account} and a.kind = 'recording' and a.state = 'stored') f
    having count(*) > 0`
}

const UNKNOWN_RULES =
  'The rules of the archive are not recorded yet, so it is unknown when its copies leave. They are ' +
  'recorded by the next sync with evidence.'
const SERVICE_RULES = [
  `In the trash: deleted ${TRASH_DAYS} days after being trashed`,
  'In the trash, date not reported: deleted at any time',
  'Not in the trash, in your own storage: by your rules there',
  'Not in the trash: no date reported',
]
const COLUMNS = tableColumns([
  { name: 'rule', title: 'What decides', format: 'text' },
  { name: 'recordings', title: 'Recordings', format: 'integer' },
  { name: 'files', title: 'Files', format: 'integer' },
  { name: 'gigabytes', title: 'GB', format: 'decimal' },
  { name: 'next', title: 'Next to leave', format: 'instant' },
])
