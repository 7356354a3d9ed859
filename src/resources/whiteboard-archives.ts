import { z } from 'zod'
import { instant, instantInKey, integer, text, textArray } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import type { FileSource } from '../core/define/file-source.ts'
import { keyOf } from '../core/records/record-key.ts'
import type { Window } from '../core/time/spans.ts'
import { DAY_MS, utcInstant } from '../core/time/time.ts'
import { listEnvelope, listQuery } from './list-query.ts'
import { whiteboardErrors } from './service-errors.ts'

const scopes = ['whiteboard_content:read:admin', 'whiteboard_content:read']

export const listWhiteboardSessions = defineOperation({
  id: 'whiteboard_sessions.list',
  summary: 'List archived whiteboard sessions',
  method: 'GET',
  path: '/whiteboards/sessions',
  scopes,
  granularScopes: ['whiteboard:read:list_sessions:admin', 'whiteboard:read:list_sessions'],
  rate: 'MEDIUM',
  bearer: 'oauth',
  errors: whiteboardErrors('invalid', 'missing'),
  query: z.object({ ...listQuery(300), from: z.iso.datetime(), to: z.iso.datetime() }),
  response: z.looseObject({
    ...listEnvelope,
    from: z.string(),
    to: z.string(),
    sessions: z.array(z.unknown()),
  }),
  paging: {
    style: 'token',
    items: 'sessions',
    maxPageSize: 300,
    tokenErrorCodes: ['34002', '300'],
  },
})

export const getWhiteboardSession = defineOperation({
  id: 'whiteboard_sessions.get',
  summary: 'List the activities of an archived session',
  method: 'GET',
  path: '/whiteboards/sessions/{seesionId}',
  alsoCalled: { sessionId: 'seesionId' },
  scopes,
  granularScopes: ['whiteboard:read:session:admin', 'whiteboard:read:session'],
  rate: 'MEDIUM',
  bearer: 'oauth',
  errors: whiteboardErrors('invalid', 'missing'),
  query: z.object({
    ...listQuery(300),
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
  }),
  undocumented: ['from', 'to'],
  response: z.looseObject({ ...listEnvelope, activities: z.array(z.unknown()) }),
  names: { seesionId: ['session_id'] },
  paging: {
    style: 'token',
    items: 'activities',
    maxPageSize: 300,
    tokenErrorCodes: ['34002', '300'],
  },
  deleted: [{ status: 404, code: '34000' }],
})

/** The whole address of this call is the `download_url` of an activity. The answer's body is the file. */
export const downloadArchivedFile = defineOperation({
  id: 'whiteboard_sessions.download',
  summary: 'Download an archive file',
  method: 'GET',
  path: '/whiteboards/sessions/activity/download/{path}',
  scopes,
  granularScopes: ['whiteboard:read:archived_file:admin', 'whiteboard:read:archived_file'],
  rate: 'MEDIUM',
  bearer: 'oauth',
  errors: whiteboardErrors('invalid', 'missing'),
  query: z.object({}),
  response: z.unknown(),
  deleted: [{ status: 404, code: '34000' }],
})

/**
 * The service lists only sessions that begin and end inside the requested range. So each request reaches 7
 * days beyond its window on both sides, which is certain to find sessions of up to 7 days.
 */
export const whiteboardSessions = defineStream({
  name: 'whiteboard_sessions',
  about: 'One archived session of work on a board.',
  operation: listWhiteboardSessions,
  columns: {
    id: text('ID of the session.'),
    start_time: instant('When the session began.'),
    end_time: instant('When the session ended.'),
    expire_time: instant('When the service drops the session and its files.'),
    whiteboard_id: text('ID of the board, from whiteboards.whiteboard_id.'),
    whiteboard_name: text('Name of the board.'),
  },
  key: ['id'],
  expected: ['start_time', 'end_time', 'expire_time', 'whiteboard_id'],
  personal: ['whiteboard_name'],
  also: ['regulated_participants'],
  transient: [],
  volatile: [],
  audited: true,
  sync: {
    kind: 'windows',
    cursor: 'start_time',
    spanDays: 7,
    overlapDays: 7,
    lookbackDays: 10,
    historyLimitDays: 180,
    unbounded: true,
    request: ({ fromMs, toMs }) => ({
      slice: `${utcInstant(fromMs)}..${utcInstant(toMs)}`,
      arguments: { query: { from: utcInstant(fromMs), to: utcInstant(toMs) } },
      filter: {},
    }),
  },
  deletions: {
    by: 'detail',
    operation: getWhiteboardSession,
    path: (row) => ({ seesionId: row.id ?? '' }),
    expiresAt: 'expire_time',
  },
})

/**
 * Outsiders have an empty email and may share a name, and people rejoin. So the key contains the join time
 * in one spelling, and an ordinal.
 */
export const whiteboardParticipants = defineStream({
  name: 'whiteboard_participants',
  about: 'One stay of one person in an archived session.',
  operation: listWhiteboardSessions,
  columns: {
    session_id: text('ID of the session, from whiteboard_sessions.id.'),
    user_id: text('ID of the user, from users.id; empty for someone outside the account.'),
    user_name: text('Name of the participant; empty if the service gives none.'),
    join_whiteboard_time: text('When the participant joined, as text; it is part of the key.'),
    ordinal: integer('Place among rows that are otherwise alike, counted from 0.'),
    email: text('E-mail address; empty for someone outside the account.'),
    joined_at: instant('When the participant joined, as an instant.'),
    leave_whiteboard_time: instant('When the participant left.'),
  },
  key: ['session_id', 'user_id', 'user_name', 'join_whiteboard_time', 'ordinal'],
  subject: ['user_id', 'email'],
  personal: ['user_name', 'email'],
  transient: [],
  volatile: [],
  sync: {
    kind: 'nested',
    parent: whiteboardSessions,
    items: (session) => session.regulated_participants,
  },
  deletions: { by: 'parent' },
  derive: (record, { parent, ordinal }) => ({
    session_id: parent?.key[0],
    user_id: record.user_id ?? '',
    user_name: record.user_name ?? '',
    join_whiteboard_time: instantInKey(record.join_whiteboard_time ?? ''),
    joined_at: record.join_whiteboard_time,
    ordinal,
  }),
})

/**
 * Without bounds the service may return only today's activities, without saying so. With `span`, the request
 * asks for the session's own time, and for a day before and after it for late entries.
 */
function activitiesOf(id: string, span?: Window) {
  const path = { seesionId: id }
  if (span === undefined) return { path }
  const { fromMs, toMs } = span
  return { path, query: { from: utcInstant(fromMs - DAY_MS), to: utcInstant(toMs + DAY_MS) } }
}

/**
 * The list of sessions does not show when activities are added, so those of a session are read again until
 * their count is the same a day later. Activities are never marked as deleted.
 */
export const whiteboardActivities = defineStream({
  name: 'whiteboard_activities',
  about: 'One thing that someone did on a board in an archived session.',
  operation: getWhiteboardSession,
  columns: {
    session_id: text('ID of the session, from whiteboard_sessions.id.'),
    id: text('ID of the activity.'),
    type: text("What was done, in the service's words."),
    create_time: instant('When it was done.'),
    user_id: text('ID of the user, from users.id; empty for someone outside the account.'),
    collaborator_id: text('ID of the collaborator who did it; always given.'),
    collaborator_name: text('Name of the collaborator who did it.'),
    email: text('E-mail address; empty for someone outside the account.'),
    content: text('Text that the activity made.'),
    object_ids: textArray('IDs of the objects on the board that were involved.'),
  },
  key: ['session_id', 'id'],
  expected: ['type', 'create_time', 'collaborator_id'],
  subject: ['user_id', 'email', 'collaborator_id'],
  person: { known: ['user_id', 'email', 'collaborator_id'], called: [['collaborator_name']] },
  personal: ['collaborator_name', 'email', 'content'],
  transient: ['download_url'],
  volatile: [],
  audited: true,
  sync: {
    kind: 'fan-out',
    parent: whiteboardSessions,
    order: 'expire_time',
    within: { from: 'start_time', to: 'end_time' },
    request: ([id = ''], span?: Window) => ({
      slice: `session=${id}`,
      arguments: activitiesOf(id, span),
      filter: {},
    }),
  },
  deletions: { by: 'never' },
  derive: (_record, { parent }) => ({ session_id: parent?.key[0] }),
})

export const activityFiles: FileSource = {
  kind: 'activity',
  parent: whiteboardSessions,
  expiresAt: 'expire_time',
  rows: [{ stream: whiteboardActivities, item: 'id' }],
  list: {
    operation: getWhiteboardSession,
    arguments: activitiesOf,
    files: (id, record) => {
      const parent = { key: [id], record: undefined }
      const found = keyOf(whiteboardActivities, record, { parent, ordinal: 0, filter: {} })
      const item = 'key' in found ? found.key[1] : undefined
      const { download_url: url } = record
      return item === undefined
        ? []
        : [{ item, url: typeof url === 'string' && url !== '' ? url : undefined }]
    },
  },
  download: downloadArchivedFile,
}
