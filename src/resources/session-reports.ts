import { z } from 'zod'
import { boolean, durationSeconds, instant, integer, oneOf, text } from '../core/declare/column.ts'
import { defineOperation } from '../core/declare/define-operation.ts'
import { defineStream } from '../core/declare/define-stream.ts'
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
 * One month a request, six months back, no detail call. A session over midnight at a month's end is in the
 * month of its start. Quality is filled in after the end, so what is younger than a month plus the 35 days
 * after which it closes is read again each night.
 */
export const sessionReports = defineStream({
  name: 'session_reports',
  operation: listSessionReports,
  columns: {
    id: text(),
    session_name: text(),
    session_key: text(),
    start_time: instant(),
    end_time: instant(),
    duration: durationSeconds(),
    user_count: integer(),
    has_voip: boolean(),
    has_video: boolean(),
    has_screen_share: boolean(),
    has_recording: boolean(),
    has_pstn: boolean(),
    has_session_summary: boolean(),
    audio_quality: oneOf(QUALITIES),
    video_quality: oneOf(QUALITIES),
    screen_share_quality: oneOf(QUALITIES),
  },
  key: ['id'],
  expected: ['start_time'],
  personal: ['session_name'],
  transient: [],
  volatile: [],
  sync: {
    kind: 'windows',
    cursor: 'start_time',
    byMonth: 'sessionWindows',
    // With its margins no longer than a February.
    spanDays: 26,
    overlapDays: 1,
    lookbackDays: 66,
    historyLimitDays: 180,
    request: ({ fromMs, toMs }) => ({
      slice: `${utcDay(fromMs)}..${utcDay(toMs)}`,
      // Without type the service answers with live sessions only.
      arguments: { query: { type: 'past', from: utcDay(fromMs), to: utcDay(toMs) } },
      filter: {},
    }),
  },
  deletions: { by: 'second-read', afterMs: 3_600_000 },
})
