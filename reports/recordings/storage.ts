import { type RawBuilder, sql } from 'kysely'
import type { Section, Table, TableColumn } from '../../src/core/define/report.ts'
import { section } from '../shared/blocks.ts'
import { cursorTable, queryRows, type Row, tableColumns, tableOf } from '../shared/query.ts'
import { gigabytes, type RecordingSource } from './source.ts'

const SUMS = sql`count(distinct session_id)::int as recordings, count(*)::int as files,
  ${gigabytes(sql`sum(bytes)`)} as gigabytes,
  ${gigabytes(sql`sum(bytes) filter (where of = 'session')`)} as of_sessions,
  ${gigabytes(sql`sum(bytes) filter (where of <> 'session')`)} as of_participants,
  ${gigabytes(sql`sum(bytes) filter (where trashed or deleted_time is not null)`)} as in_trash,
  count(*) filter (where bytes is null)::int as unsized`
const sizesBy = (what: string): TableColumn[] => [
  { name: 'value', title: what, format: 'text' },
  { name: 'recordings', title: 'Recordings', format: 'integer' },
  { name: 'files', title: 'Files', format: 'integer' },
  { name: 'gigabytes', title: 'GB', format: 'decimal' },
  { name: 'share', title: 'Share of GB', format: 'percent' },
  { name: 'of_sessions', title: 'GB of sessions', format: 'decimal' },
  { name: 'of_participants', title: 'GB of participants', format: 'decimal' },
  { name: 'in_trash', title: 'GB in the trash', format: 'decimal' },
  { name: 'unsized', title: 'Files without a size', format: 'integer' },
]
const NONE = 'There is no recording.'
const SHARE = sql`case when sum(sum(bytes)) over () > 0
  then (coalesce(sum(bytes), 0) / sum(sum(bytes)) over ())::float8 end as share`

function grouped(source: RecordingSource, by: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select ${by} as value, ${SUMS}, ${SHARE} from ${source.files} f group by 1`
}

export function readMonths(source: RecordingSource): Promise<Row[]> {
  const month = sql`to_char(start_time at time zone ${source.timeZone}, 'YYYY-MM')`
  const of = sql`coalesce(${month}, '(no time)')`
  return queryRows(source.db, sql`${grouped(source, of)} order by 1`)
}

export function monthSection(months: readonly Row[]): Section {
  const title = 'Storage by month'
  const columns = sizesBy('Month')
  const text =
    'Recordings by the month in which their session began, with what is stored of them now: live and in ' +
    'the ' +
    'trash. 1 GB is 1,000,000,000 bytes. Files without a size (CC and TIMELINE files) count as nothing.'
  return section(title, text, tableOf({ title, columns, empty: NONE }, months))
}

/** Groups by session key: the app assigns it, and nothing else identifies the owner of a recording. */
export function keySection(source: RecordingSource): Section {
  const title = 'Storage by session key'
  const text =
    'The service names no owner of a recording: the session key, which the app gives, is the nearest to ' +
    'it. ' +
    'The largest first.'
  const columns = sizesBy('Session key')
  const query = sql`select * from (${grouped(source, sql`coalesce(nullif(session_key, ''), '(no key)')`)}) g
    order by gigabytes desc, value collate "C"`
  const table = { title, columns, empty: NONE }
  return section(title, text, cursorTable(source.db, table, query))
}

export async function typeSection(source: RecordingSource): Promise<Section> {
  const title = 'Storage by type'
  const table = async (name: string, by: RawBuilder<unknown>): Promise<Table> => {
    const columns = sizesBy(name)
    const none = sql`coalesce(nullif(${by}, ''), '(none)')`
    const rows = await queryRows(
      source.db,
      sql`select * from (${grouped(source, none)}) g order by gigabytes desc, value collate "C"`,
    )
    return tableOf({ title: `By ${name.toLowerCase()}`, columns }, rows)
  }
  return {
    title,
    blocks: [
      await table('Kind of file', sql`of`),
      await table('File type', sql`file_type`),
      await table('Recording type', sql`recording_type`),
      await table(
        'Place',
        sql`case when external then 'storage of your own' else 'the service' end`,
      ),
    ],
  }
}

/** Groups each participant's own video and audio files by participant key, which the app assigns. */
export function participantSection(source: RecordingSource): Section {
  const title = 'Participant files'
  const text =
    'Files of single participants, by the key that the app gave them; the service’s own ID of a ' +
    'participant ' +
    'is valid during the session only. Sound files are known where the job recording-details reads them.'
  const columns = tableColumns([
    { name: 'user_key', title: 'Participant key', format: 'text' },
    { name: 'recordings', title: 'Recordings', format: 'integer' },
    { name: 'video_files', title: 'Video files', format: 'integer' },
    { name: 'audio_files', title: 'Sound files', format: 'integer' },
    { name: 'gigabytes', title: 'GB', format: 'decimal' },
  ])
  const query = sql`select * from (
    select coalesce(nullif(user_key, ''), '(no key)') as user_key,
      count(distinct session_id)::int as recordings,
      count(*) filter (where of = 'participant video')::int as video_files,
      count(*) filter (where of = 'participant audio')::int as audio_files,
      ${gigabytes(sql`sum(bytes)`)} as gigabytes
    from ${source.files} f where of <> 'session' group by 1) g
    order by gigabytes desc, user_key collate "C"`
  const table = { title, columns, empty: 'There is no file of a single participant.' }
  return section(title, text, cursorTable(source.db, table, query))
}
