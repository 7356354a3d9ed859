import { type RawBuilder, sql } from 'kysely'
import type { ReportContext } from '../../src/core/define/report.ts'
import type { Relation } from '../../src/core/define/stream-row.ts'
import { recordingAudioFiles } from '../../src/resources/recording-details.ts'
import {
  recordingFiles,
  recordingParticipantFiles,
  recordingSessions,
  trashedRecordingFiles,
  trashedRecordings,
} from '../../src/resources/recordings.ts'
import type { sessionReports } from '../../src/resources/session-reports.ts'
import type {
  storageLocationDetails,
  storageLocations,
} from '../../src/resources/storage-locations.ts'
import type { RecordingSettings } from './settings.ts'

export type RecordingStreams =
  | typeof recordingSessions
  | typeof recordingFiles
  | typeof recordingParticipantFiles
  | typeof trashedRecordings
  | typeof trashedRecordingFiles
  | typeof recordingAudioFiles
  | typeof sessionReports
  | typeof storageLocations
  | typeof storageLocationDetails

export type RecordingsContext = ReportContext<unknown, RecordingStreams, RecordingSettings>

/** The recordings and their files, live and in the trash, one row each. */
export interface RecordingSource extends RecordingsContext {
  recordings: Relation<RecordingRow>
  files: Relation<FileRow>
  /** The files as of the previous report; undefined if there is none. */
  previousFiles: Relation<FileRow> | undefined
}

export interface RecordingRow {
  session_id: string
  session_key: string | null
  session_name: string | null
  start_time: string | null
  trashed: boolean
}

export interface FileRow extends RecordingRow {
  file_key: string
  /** What the file contains: the whole session, or one participant's video or audio. */
  of: 'session' | 'participant video' | 'participant audio'
  user_key: string | null
  file_type: string | null
  recording_type: string | null
  bytes: number | null
  deleted_time: string | null
  /** Whether the file is in the customer's own storage. */
  external: boolean
  item: string
}

export async function recordingSource(context: RecordingsContext): Promise<RecordingSource> {
  const { keep, rows, previousRows: before } = context
  return {
    ...context,
    recordings: await keep('recordings', recordingsOf(rows)),
    files: await keep('recording files', filesOf(rows)),
    previousFiles: before && (await keep('previous recording files', filesOf(before))),
  }
}

type Rows = RecordingsContext['rows']

/**
 * Returns each recording once, even if only some of its files are in the trash. It is in the trash only if
 * all its files are.
 */
function recordingsOf(rows: Rows): RawBuilder<RecordingRow> {
  return sql`
    select session_id, session_key, session_name, start_time, coalesce(trashed, false) as trashed
    from ${rows(recordingSessions)} r
    union all
    select session_id, session_key, session_name, start_time, true
    from ${rows(trashedRecordings)} t
    where not exists (select from ${rows(recordingSessions)} r where r.session_id = t.session_id)`
}

/** Raw SQL, because it combines four tables of files with different columns. */
function filesOf(rows: Rows): RawBuilder<FileRow> {
  const none = sql`null::text`
  const file = sql`f.file_key || case when f.ordinal = 0 then '' else '#' || f.ordinal end as item`
  const common = sql`r.session_id, r.session_key, r.session_name, r.start_time`
  const live = sql`${common}, coalesce(r.trashed, false) as trashed`
  const size = sql`case when f.file_size >= 0 then f.file_size end as bytes`
  const ofParticipant = (what: string, files: Relation<unknown>, type: RawBuilder<unknown>) => sql`
    select ${live}, f.file_key, ${what}::text as of, f.user_key, f.file_type, ${type} as recording_type,
      ${size}, null::timestamptz as deleted_time, false as external, ${file}
    from ${files} f join ${rows(recordingSessions)} r using (session_id)`
  return sql`
    select ${live}, f.file_key, 'session'::text as of, ${none} as user_key, f.file_type, f.recording_type,
      ${size}, f.deleted_time, coalesce(f.external_storage_url <> '', false) as external, ${file}
    from ${rows(recordingFiles)} f join ${rows(recordingSessions)} r using (session_id)
    union all
    select ${common}, true, f.file_key, 'session', ${none}, f.file_type, f.recording_type,
      ${size}, f.deleted_time, coalesce(f.external_storage_url <> '', false), ${file}
    from ${rows(trashedRecordingFiles)} f join ${rows(trashedRecordings)} r using (session_id)
    where not exists (select from ${rows(recordingFiles)} l
      where (l.session_id, l.file_key, l.ordinal) = (f.session_id, f.file_key, f.ordinal))
    union all
    ${ofParticipant('participant video', rows(recordingParticipantFiles), sql`f.recording_type`)}
    union all
    ${ofParticipant('participant audio', rows(recordingAudioFiles), none)}`
}

export const gigabytes = (bytes: RawBuilder<unknown>): RawBuilder<number> =>
  sql`(coalesce(${bytes}, 0) / 1e9)::float8`
