import { type RawBuilder, sql } from 'kysely'
import type { CutSource, ReportCut } from '../../src/core/define/owner.ts'
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
import { sessionReports } from '../../src/resources/session-reports.ts'
import { queryRows } from '../shared/query.ts'
import type { RecordingStreams } from './source.ts'

/** Recordings and sessions belong to the owner of their session key. Storage locations belong to nobody. */
export const recordingsCut: ReportCut<
  RecordingStreams,
  ReportContext<unknown, RecordingStreams>
> = {
  by: ['sessionKeys'],
  async owned({ rows, place, isOwned }: CutSource<RecordingStreams>) {
    const ofKey = isOwned(place('sessionKeys', sql`r.session_key`))
    const ofSession = (sessions: Relation<unknown>): RawBuilder<boolean> =>
      sql`r.session_id in (select r.session_id from ${sessions} r where ${ofKey})`
    const live = ofSession(rows(recordingSessions))
    return new Map<RecordingStreams, RawBuilder<boolean>>([
      [recordingSessions, ofKey],
      [trashedRecordings, ofKey],
      [sessionReports, ofKey],
      [recordingFiles, live],
      [recordingParticipantFiles, live],
      [recordingAudioFiles, live],
      [trashedRecordingFiles, ofSession(rows(trashedRecordings))],
    ])
  },
  async count({ db, rows }) {
    const [row] = await queryRows(
      db,
      sql`select count(*)::int as recordings from (
        select session_id from ${rows(recordingSessions)} r
        union select session_id from ${rows(trashedRecordings)} t) r`,
    )
    return [{ count: Number(row?.recordings ?? 0), one: 'recording', many: 'recordings' }]
  },
}
