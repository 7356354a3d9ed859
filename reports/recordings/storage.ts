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
const sizesBy = (what: string, coded?: 'service'): TableColumn[] => [
  { name: 'value', title: what, format: 'text', ...(coded && { coded }) },
  { name: 'recordings', title: 'Recordings', format: 'integer' },
  { name: 'files', title: 'Files', format: 'integer' },
  { name: 'gigabytes', title: 'GB', format: 'decimal' },
  { name: 'share', title: 'Share of GB', format: 'percent' },
  { name: 'of_sessions', title: 'GB of session files', format: 'decimal' },
  { name: 'of_participants', title: 'GB of participant files', format: 'decimal' },
  { name: 'in_trash', title: 'GB in the trash', format: 'decimal' },
  { name: 'unsized', title: 'Files without a size', format: 'integer' },
]
const NONE = 'There are no recordings.'
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
    'Recordings that are stored now, live or in the trash, by the month in which their session ' +
    'began. 1 GB is 1,000,000,000 bytes. Files without a size (CC and TIMELINE files) count as ' +
    '0.'
  return section(title, text, tableOf({ title, columns, empty: NONE }, months))
}

/** Groups by session key. The app assigns it, and nothing else identifies the owner of a recording. */
export function keySection(source: RecordingSource): Section {
  const title = 'Storage by session key'
  const text =
    'Recordings by session key, the largest first. The service does not report the owner of a ' +
    'recording; the session key, which the app sets, comes closest.'
  const columns = sizesBy('Session key')
  const query = sql`select * from (${grouped(source, sql`coalesce(nullif(session_key, ''), '(no key)')`)}) g
    order by gigabytes desc, value collate "C"`
  const table = { title, columns, empty: NONE }
  return section(title, text, cursorTable(source.db, table, query))
}

export async function typeSection(source: RecordingSource): Promise<Section> {
  const title = 'Storage by type'
  const table = async (
    name: string,
    by: RawBuilder<unknown>,
    coded?: 'service',
  ): Promise<Table> => {
    const columns = sizesBy(name, coded)
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
      await table('File type', sql`file_type`, 'service'),
      await table('Recording type', sql`recording_type`, 'service'),
      await table(
        'Location',
        sql`case when external then 'your own storage' else 'the service' end`,
      ),
    ],
  }
}

/** Groups each participant's own video and audio files by participant key, which the app assigns. */
export function participantSection(source: RecordingSource): Section {
  const title = 'Participant files'
  const text =
    'Video and audio files of single participants by participant key, the largest first. The ' +
    'app sets that key; the service’s own participant ID is valid only during the session. ' +
    'Audio files are included only if the job recording-details has read them.'
  const columns = tableColumns([
    { name: 'user_key', title: 'Participant key', format: 'text' },
    { name: 'recordings', title: 'Recordings', format: 'integer' },
    { name: 'video_files', title: 'Video files', format: 'integer' },
    { name: 'audio_files', title: 'Audio files', format: 'integer' },
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
  const table = { title, columns, empty: 'There are no files of single participants.' }
  return section(title, text, cursorTable(source.db, table, query))
}
