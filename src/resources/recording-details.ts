import { text } from '../core/define/column.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { fileColumns, participantColumns, sessionColumns } from './recording-columns.ts'
import { fileKey, getSessionRecordings, recordingSessions } from './recordings.ts'

/**
 * One call per recording: when it is new, when its list entry changes, and at least every 90 days. In the
 * trash a recording has no detail, so its row here counts as deleted until the recording is recovered.
 */
export const recordingDetails = defineStream({
  name: 'recording_details',
  about: 'One recorded session as the service shows it when asked for that session alone.',
  operation: getSessionRecordings,
  columns: {
    session_id: text('ID of the recorded session, from recording_sessions.session_id.'),
    total_size: sessionColumns.total_size,
    recording_count: sessionColumns.recording_count,
  },
  key: ['session_id'],
  personal: [],
  also: [
    ...Object.keys(recordingSessions.columns),
    ...recordingSessions.also,
    'participant_audio_files',
  ],
  transient: ['download_url', 'download_access_token'],
  volatile: [],
  sync: {
    kind: 'fan-out',
    parent: recordingSessions,
    order: 'start_time',
    request: ([id = '']) => ({
      slice: `session=${id}`,
      arguments: { path: { sessionId: id } },
      filter: {},
    }),
    again: { versions: ['_hash', 'trashed'], maxAgeDays: 90 },
  },
  deletions: {
    by: 'detail',
    operation: getSessionRecordings,
    path: (row) => ({ sessionId: row.session_id ?? '' }),
  },
  derive: (_record, { parent }) => ({ session_id: parent?.key[0] }),
})

const { recording_type: _ofPictures, ...soundColumns } = fileColumns('recording_details')

/** `user_id` is valid only during one session. Across sessions, only `user_key` identifies a person. */
export const recordingAudioFiles = defineStream({
  name: 'recording_audio_files',
  about: 'One audio file of one participant of a recorded session.',
  operation: getSessionRecordings,
  columns: {
    ...soundColumns,
    ...participantColumns,
  },
  key: ['session_id', 'file_key', 'ordinal'],
  subject: ['user_key', 'user_id'],
  personal: ['file_name'],
  also: ['recording_type'],
  transient: ['download_url'],
  volatile: [],
  sync: {
    kind: 'nested',
    parent: recordingDetails,
    items: (session) => session.participant_audio_files,
    measuredBy: ['recording_count', 'total_size'],
  },
  deletions: { by: 'parent' },
  derive: fileKey,
})
