import { z } from 'zod'
import { defineOperation } from '../core/define/define-operation.ts'
import { TRASH_DAYS } from './recordings.ts'
import { videoErrors } from './service-errors.ts'

const session = '/videosdk/sessions/{sessionId}/recordings'
const file = `${session}/{recordingId}`
const common = {
  scopes: [],
  granularScopes: [],
  rate: 'LIGHT',
  bearer: 'jwt',
  encodeTwice: { sessionId: 'odd-slashes' },
  success: { status: 204 },
  response: z.unknown(),
} as const
const removal = z.object({ action: z.enum(['trash', 'delete']).optional() })
const recovery = z.strictObject({ action: z.literal('recover') })
const refused = videoErrors('wrongAccount', 'userNotInAccount', 'userMissing', 'noRecording')

export const deleteRecordings = defineOperation({
  ...common,
  id: 'recordings.delete',
  summary: 'Put a session’s recordings into the trash, or permanently delete them',
  method: 'DELETE',
  path: session,
  query: removal,
  errors: [...refused, ...videoErrors('notCompleted')],
  needs: 'cloud recording',
})

/** Without permission the service may answer with HTTP 200 and the error code 200 in the body. */
export const recoverRecordings = defineOperation({
  ...common,
  id: 'recordings.recover',
  summary: `Take a session’s recordings out of the trash, within ${TRASH_DAYS} days`,
  method: 'PUT',
  path: `${session}/status`,
  query: z.object({}),
  body: recovery,
  errors: refused,
})

export const deleteRecordingFile = defineOperation({
  ...common,
  id: 'recording_files.delete',
  summary: 'Put a recording file into the trash, or permanently delete it',
  method: 'DELETE',
  path: file,
  query: removal,
  errors: [...refused, ...videoErrors('notCompleted')],
  needs: 'the setting that lets hosts delete cloud recordings',
})

export const recoverRecordingFile = defineOperation({
  ...common,
  id: 'recording_files.recover',
  summary: `Take a recording file out of the trash, within ${TRASH_DAYS} days`,
  method: 'PUT',
  path: `${file}/status`,
  query: z.object({}),
  body: recovery,
  errors: refused,
})

/** Needed only for dial-in numbers. A session starts, and appears in reports, when the first user joins. */
export const createSession = defineOperation({
  id: 'sessions.create',
  summary: 'Create a session, for its dial-in numbers',
  method: 'POST',
  path: '/videosdk/sessions',
  scopes: [],
  granularScopes: [],
  rate: 'MEDIUM',
  bearer: 'jwt',
  query: z.object({}),
  body: z.strictObject({
    session_name: z.string().min(1),
    session_password: z
      .string()
      .regex(/^[A-Za-z0-9]+$/, 'letters and digits')
      .optional(),
    settings: z.strictObject({ auto_recording: z.enum(['cloud', 'none']).optional() }).optional(),
  }),
  success: { status: 201 },
  errors: videoErrors('wrongAccount'),
  response: z.looseObject({ session_id: z.string() }),
})
