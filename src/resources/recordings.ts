import { z } from 'zod'
import { boolean, instantInKey, oneOf, UNREADABLE } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import type { RowContext } from '../core/define/stream.ts'
import { utcDay } from '../core/time/time.ts'
import type { WireRecord } from '../core/values/json.ts'
import { listEnvelope, listQuery } from './list-query.ts'
import {
  fileColumns,
  participantColumns,
  sessionColumns,
  storedColumns,
} from './recording-columns.ts'
import { videoErrors } from './service-errors.ts'

export const listRecordings = defineOperation({
  id: 'recordings.list',
  summary: 'List recordings, or the trash',
  method: 'GET',
  path: '/videosdk/recordings',
  scopes: [],
  granularScopes: [],
  rate: 'MEDIUM',
  bearer: 'jwt',
  query: z.object({
    ...listQuery(300),
    from: z.iso.date().optional(),
    to: z.iso.date().optional(),
    trash: z.boolean().optional(),
    trash_type: z.enum(['session_recordings', 'recording_file']).optional(),
  }),
  errors: videoErrors('wrongAccount', 'userNotInAccount', 'userMissing'),
  response: z.looseObject({
    ...listEnvelope,
    from: z.string().nullish(),
    to: z.string().nullish(),
    sessions: z.array(z.unknown()),
  }),
  paging: { style: 'token', items: 'sessions', maxPageSize: 300, tokenErrorCodes: ['300'] },
})

export const getSessionRecordings = defineOperation({
  id: 'recordings.get',
  summary: 'Read the recordings of one session',
  method: 'GET',
  path: '/videosdk/sessions/{sessionId}/recordings',
  scopes: [],
  granularScopes: [],
  rate: 'LIGHT',
  bearer: 'jwt',
  encodeTwice: { sessionId: 'odd-slashes' },
  query: z.object({
    include_fields: z.string().optional(),
    ttl: z.number().int().min(0).max(604_800).optional(),
  }),
  errors: videoErrors('wrongAccount', 'userNotInAccount', 'userMissing', 'noRecording'),
  response: z.looseObject({ session_id: z.string() }),
  names: { sessionId: ['session_id'] },
  paging: { style: 'record' },
  deleted: [{ status: 404, code: '3301' }],
  // The session's host no longer exists, is in another account, or does not share it with us.
  withheld: [
    { status: 200, code: '200' },
    { status: 404, code: '1001' },
    { status: 400, code: '1010' },
  ],
})

const NO_TRASH = 'set recordingTrash: false for the account if the service has no trash'

const trash = (trash_type: string) => ({
  slice: `trash=${trash_type}`,
  arguments: { query: { trash: true, trash_type } },
  filter: { trash: trash_type },
  disproved: { by: isLive, todo: NO_TRASH },
})

/** True if there are files, but none has a deletion time. Then the service ignored `trash`. */
function isLive({ recording_files: files }: WireRecord): boolean {
  if (!Array.isArray(files) || files.length === 0) return false
  return !files.some((file: WireRecord | null) => (file?.deleted_time ?? '') !== '')
}

/** A recording that its window lists is live, even if some of its files are in the trash. */
export const recordingSessions = defineStream({
  name: 'recording_sessions',
  about: 'One recorded session, live or in the trash.',
  operation: listRecordings,
  columns: {
    ...sessionColumns,
    trashed: boolean('Whether the whole recording is in the trash.'),
  },
  key: ['session_id'],
  expected: ['start_time'],
  personal: ['session_name'],
  also: ['recording_files', 'participant_video_files'],
  transient: ['download_url', 'download_access_token'],
  volatile: [],
  sync: {
    kind: 'windows',
    cursor: 'start_time',
    spanDays: 14,
    overlapDays: 1,
    lookbackDays: 14,
    historyLimitDays: 180,
    unbounded: true,
    request: ({ fromMs, toMs }) => ({
      slice: `${utcDay(fromMs)}..${utcDay(toMs)}`,
      arguments: { query: { from: utcDay(fromMs), to: utcDay(toMs) } },
      filter: {},
    }),
    besides: () => [
      { ...trash('session_recordings'), rank: 1 },
      { ...trash('recording_file'), rank: 2, keepKnown: true },
    ],
    besidesColumn: 'trashed',
  },
  deletions: {
    by: 'detail',
    operation: getSessionRecordings,
    path: (row) => ({ sessionId: row.session_id ?? '' }),
  },
  derive: (_record, { filter }) => ({ trashed: filter.trash !== undefined }),
})

const file = {
  operation: listRecordings,
  key: ['session_id', 'file_key', 'ordinal'],
  transient: ['download_url'],
  volatile: [],
  deletions: { by: 'parent' },
  derive: fileKey,
} as const

/** A deleted recording can be recovered from the trash for this many days. */
export const TRASH_DAYS = 30

export const trashedRecordings = defineStream({
  name: 'trashed_recordings',
  about: 'One session of which single files are in the trash.',
  operation: listRecordings,
  columns: sessionColumns,
  key: ['session_id'],
  personal: ['session_name'],
  also: ['recording_files', 'participant_video_files'],
  transient: ['download_url', 'download_access_token'],
  volatile: [],
  sync: { kind: 'snapshot', requests: () => [trash('recording_file')] },
  // No call reads one session in the trash, so a second read of the list confirms a deletion.
  deletions: { by: 'second-read', afterMs: 0 },
  mayBeEmpty: true,
})

export const recordingFiles = defineStream({
  name: 'recording_files',
  about: 'One file of a recorded session.',
  ...file,
  columns: { ...fileColumns('recording_sessions'), ...storedColumns },
  personal: [],
  sync: {
    kind: 'nested',
    parent: recordingSessions,
    items: (session) => session.recording_files,
    measuredBy: ['recording_count', 'total_size'],
    countedBy: 'recording_count',
  },
})

export const trashedRecordingFiles = defineStream({
  name: 'trashed_recording_files',
  about: 'One single file that is in the trash.',
  ...file,
  columns: { ...fileColumns('trashed_recordings'), ...storedColumns },
  personal: [],
  // The count may include files outside the trash. It is never 0: each session has a file in the trash.
  sync: {
    kind: 'nested',
    parent: trashedRecordings,
    items: (session) => session.recording_files,
    countedBy: 'recording_count',
  },
})

/** `user_id` is valid only during one session. Across sessions, only `user_key` identifies a person. */
export const recordingParticipantFiles = defineStream({
  name: 'recording_participant_files',
  about: 'One video file of one participant of a recorded session.',
  ...file,
  columns: {
    ...fileColumns('recording_sessions'),
    ...participantColumns,
    recording_type: oneOf(
      'Whether the file shows the participant or the screen that they shared.',
      ['individual_user', 'individual_shared_screen'],
    ),
  },
  subject: ['user_key', 'user_id'],
  personal: ['file_name'],
  sync: {
    kind: 'nested',
    parent: recordingSessions,
    items: (session) => session.participant_video_files,
    measuredBy: ['total_size'],
  },
})

/** The key of a file is its `id`. CC and TIMELINE files have none, so their key is their type and times. */
export function fileKey(
  record: WireRecord,
  { parent, ordinal }: RowContext,
): Record<string, unknown> {
  const own = record.id === undefined || record.id === '' ? undefined : record.id
  const times = [record.recording_start, record.recording_end].map(instantInKey)
  const named = times.includes(UNREADABLE)
    ? UNREADABLE
    : [record.file_type, ...times].map(String).join('@')
  return {
    session_id: parent?.key[0],
    file_key: own ?? named,
    ordinal,
  }
}
