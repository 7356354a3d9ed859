import { z } from 'zod'
import { boolean, durationSeconds, instant, integer, oneOf, text } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { utcDay } from '../core/time/time.ts'
import { listEnvelope, listQuery } from './list-query.ts'
import { videoErrors } from './service-errors.ts'

const QUALITIES = ['good', 'fair', 'poor', 'bad']

export const listSessionReports = defineOperation({
  id: 'session_reports.list',
  summary: 'List sessions with their quality',
  method: 'GET',
  path: '/videosdk/sessions',
  scopes: [],
  granularScopes: [],
  rate: 'RESOURCE-INTENSIVE',
  bearer: 'jwt',
  query: z.object({
    ...listQuery(300),
    type: z.enum(['past', 'live']),
    from: z.iso.date(),
    to: z.iso.date(),
    session_key: z.string().optional(),
    session_name: z.string().optional(),
  }),
  errors: videoErrors('wrongAccount'),
  needs: 'a paid account with the dashboard',
  response: z.looseObject({
    ...listEnvelope,
    from: z.string(),
    to: z.string(),
    sessions: z.array(z.unknown()),
  }),
  paging: { style: 'token', items: 'sessions', maxPageSize: 300, tokenErrorCodes: ['300'] },
})

/**
 * One list covers one calendar month, up to six months back. It may lack its first or last day, so the days
 * around each month's end are requested too. The service fills in the quality after a session's end, so
 * months within the last 66 days are read again each night (a month, and 35 days until its report is final).
 */
export const sessionReports = defineStream({
  name: 'session_reports',
  about: 'One video session that has ended, with its use of features and its quality.',
  operation: listSessionReports,
  columns: {
    id: text('ID of one instance of a session.'),
    session_name: text('Name of the session.'),
    session_key: text('ID that the app gave the session; several instances may share it.'),
    start_time: instant('When the session began.'),
    end_time: instant('When the session ended; null if the service does not say.'),
    duration: durationSeconds('Length of the session in seconds.'),
    user_count: integer('Number of users in the session.'),
    has_voip: boolean('Whether anyone used audio over the internet.'),
    has_video: boolean('Whether anyone used video.'),
    has_screen_share: boolean('Whether anyone shared a screen.'),
    has_recording: boolean('Whether the session was recorded.'),
    has_pstn: boolean('Whether anyone joined by telephone.'),
    has_session_summary: boolean('Whether there is a summary of the session.'),
    audio_quality: oneOf('Quality of the audio: good, fair, poor or bad.', QUALITIES),
    video_quality: oneOf('Quality of the video: good, fair, poor or bad.', QUALITIES),
    screen_share_quality: oneOf(
      'Quality of the shared screen: good, fair, poor or bad.',
      QUALITIES,
    ),
  },
  key: ['id'],
  expected: ['start_time'],
  personal: ['session_name'],
  transient: [],
  volatile: [],
  sync: {
    kind: 'windows',
    cursor: 'start_time',
    byMonth: true,
    spanDays: 31,
    overlapDays: 1,
    lookbackDays: 66,
    historyLimitDays: 180,
    request: ({ fromMs, toMs }) => ({
      slice: `${utcDay(fromMs)}..${utcDay(toMs)}`,
      // Without `type`, the service returns only live sessions.
      arguments: { query: { type: 'past', from: utcDay(fromMs), to: utcDay(toMs) } },
      filter: {},
    }),
  },
  deletions: { by: 'second-read', afterMs: 3_600_000 },
})
