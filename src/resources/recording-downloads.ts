import { z } from 'zod'
import { plainInteger, plainList } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { type FileSource, fileItem, type ListedFile } from '../core/define/file-source.ts'
import type { Stream } from '../core/define/stream.ts'
import { keyOf } from '../core/records/record-key.ts'
import { isRecord } from '../core/values/json.ts'
import { recordingAudioFiles } from './recording-details.ts'
import {
  getSessionRecordings,
  recordingFiles,
  recordingParticipantFiles,
  recordingSessions,
} from './recordings.ts'

/** The documents give neither path nor rate label of this call. It uses that of whiteboard archive files. */
export const downloadRecordingFile = defineOperation({
  id: 'recordings.download',
  summary: 'Download a recording file',
  method: 'GET',
  path: '/videosdk/download/{path}',
  scopes: [],
  granularScopes: [],
  rate: 'MEDIUM',
  bearer: 'jwt',
  jwtParameter: 'access_token',
  query: z.object({}),
  response: z.unknown(),
  deleted: [{ status: 404, code: '3301' }],
})

const ROWS = { item: 'file_key', ordinal: 'ordinal', since: 'recording_start' }

/**
 * Another job reads the rows of participants' audio files. The addresses of all of a session's files are in
 * one answer, so these files are downloaded together.
 */
export const recordingFileSource: FileSource = {
  kind: 'recording',
  parent: recordingSessions,
  withheld: 'trashed',
  rows: [
    { ...ROWS, stream: recordingFiles },
    { ...ROWS, stream: recordingParticipantFiles },
    { ...ROWS, stream: recordingAudioFiles },
  ],
  list: {
    operation: getSessionRecordings,
    arguments: (id) => ({ path: { sessionId: id } }),
    tokenQuery: { include_fields: 'download_access_token' },
    files: (id, record) => {
      const { download_access_token: token } = record
      const downloadToken = typeof token === 'string' && token !== '' ? token : undefined
      return [
        ...listedIn(recordingFiles, id, record.recording_files),
        ...listedIn(recordingParticipantFiles, id, record.participant_video_files),
        ...listedIn(recordingAudioFiles, id, record.participant_audio_files),
      ].map((file) => ({ ...file, downloadToken }))
    },
  },
  download: downloadRecordingFile,
}

/** Numbers files with equal keys in the order of the list, as the tables do. */
function listedIn(stream: Stream, id: string, records: unknown): ListedFile[] {
  const seen = new Map<string, number>()
  const listed: ListedFile[] = []
  for (const record of plainList(records ?? [])) {
    if (!isRecord(record)) continue
    const parent = { key: [id], record: undefined }
    const found = keyOf(stream, record, { parent, ordinal: 0, filter: {} })
    const key = 'key' in found ? found.key[1] : undefined
    if (key === undefined) continue
    const ordinal = seen.get(key) ?? 0
    seen.set(key, ordinal + 1)
    const { download_url: url, file_extension: extension, file_type: type } = record
    const kinds = [extension, type].filter((one) => typeof one === 'string' && one !== '')
    const bytes = plainInteger(record.file_size)
    listed.push({
      item: fileItem(key, ordinal),
      url: typeof url === 'string' && url !== '' ? url : undefined,
      bytes: bytes === undefined ? undefined : Number(bytes),
      kind: kinds[0] as string | undefined,
    })
  }
  return listed
}
