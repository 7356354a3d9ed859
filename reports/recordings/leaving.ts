import { type RawBuilder, sql } from 'kysely'
import type { Section } from '../../src/core/define/report.ts'
import { TRASH_DAYS } from '../../src/resources/recordings.ts'
import { section } from '../shared/blocks.ts'
import { instantOf, localInstant } from '../shared/local-time.ts'
import { cursorTable, queryRows, tableColumns } from '../shared/query.ts'
import { gigabytes, type RecordingSource } from './source.ts'

/** Files that the service will delete from the trash within `TRASH_DAYS`, or at an unknown time. */
export interface Leaving {
  files: number
  gigabytes: number
  /** The number of files that the archive does not have. */
  unkept: number
  /** The number of files without a known time of deletion. */
  undated: number
  /** The number of files that are deleted within `WEEK_DAYS`. */
  week: number
  /** When the first of the files with a known time is deleted, as a local instant. */
  first: string | null
}

/**
 * Returns the files in the trash, when each is deleted, and whether the archive has it. If it is unknown when
 * a file was trashed, it may be deleted at any time.
 */
function leavingFiles({ files, account, timeZone }: RecordingSource): RawBuilder<unknown> {
  const leaves = sql<string | null>`(f.deleted_time + make_interval(days => ${TRASH_DAYS}::int))`
  return sql`
    select f.*, ${leaves} as leaves_at, ${localInstant(leaves, timeZone)} as leaves,
      ${localInstant(sql`f.deleted_time`, timeZone)} as deleted,
      ${localInstant(sql`f.start_time`, timeZone)} as started,
      coalesce(a.state = 'stored', false) as kept
    from ${files} f left join callsheet.files a
      on a.account = ${account} and a.kind = 'recording' and a.parent = f.session_id and a.item = f.item
    where f.trashed or f.deleted_time is not null`
}

/** Files that are deleted within this many days are counted apart, because they need a decision now. */
export const WEEK_DAYS = 7

export async function readLeaving(source: RecordingSource): Promise<Leaving> {
  const [row] = await queryRows(
    source.db,
    sql`
    select count(*)::int as files, ${gigabytes(sql`sum(bytes)`)} as gigabytes,
      count(*) filter (where not kept)::int as unkept, min(leaves) as first,
      count(*) filter (where leaves_at < ${within(source, WEEK_DAYS)})::int as week,
      count(*) filter (where leaves_at is null)::int as undated
    from (${leavingFiles(source)}) f
    where leaves_at is null or leaves_at < ${within(source, TRASH_DAYS)}`,
  )
  return {
    files: Number(row?.files ?? 0),
    gigabytes: Number(row?.gigabytes ?? 0),
    unkept: Number(row?.unkept ?? 0),
    undated: Number(row?.undated ?? 0),
    week: Number(row?.week ?? 0),
    first: row?.first === null || row?.first === undefined ? null : String(row.first),
  }
}

function within({ asOfMs }: RecordingSource, days: number): RawBuilder<string> {
  return instantOf(asOfMs + days * DAY_MS)
}

export function leavingSection(source: RecordingSource): Section {
  const title = 'Leaving the trash'
  const text =
    `Files in the trash, sorted by when the service deletes them permanently: ${TRASH_DAYS} ` +
    'days after they were trashed. Until then they can be recovered. If that time is empty, ' +
    'the service does not report when the file was trashed: it may be deleted at any time, so ' +
    'it comes first. “In the archive” shows whether Callsheet has a copy; with ' +
    'archive.recordings on, it downloads recordings before they are trashed.'
  const columns = tableColumns([
    { name: 'leaves', title: 'Permanent deletion', format: 'instant' },
    { name: 'kept', title: 'In the archive', format: 'boolean' },
    { name: 'deleted', title: 'Trashed', format: 'instant' },
    { name: 'session_key', title: 'Session key', format: 'text' },
    { name: 'session_name', title: 'Session', format: 'text' },
    { name: 'started', title: 'Began', format: 'instant' },
    { name: 'file_type', title: 'File type', format: 'text', coded: 'service' },
    { name: 'recording_type', title: 'Recording type', format: 'text', coded: 'service' },
    { name: 'bytes', title: 'Bytes', format: 'integer' },
    { name: 'session_id', title: 'Session ID', format: 'text' },
    { name: 'file_key', title: 'File', format: 'text' },
  ])
  const query = sql`select ${sql.join(columns.map(({ name }) => sql.id(name)))}
    from (${leavingFiles(source)}) f order by leaves_at nulls first, session_id, file_key`
  const table = { title, columns, empty: 'The trash is empty, as far as it was read.' }
  return section(title, text, cursorTable(source.db, table, query))
}

const DAY_MS = 86_400_000
