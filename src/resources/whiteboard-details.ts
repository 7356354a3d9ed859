import { z } from 'zod'
import { boolean, integer, text } from '../core/column.ts'
import { defineOperation } from '../core/operation.ts'
import { defineStream, type Sync } from '../core/stream.ts'
import { whiteboards } from './whiteboards.ts'

/**
 * A board that is gone, and one that is there and shut to us: neither is a fault of the others' reading. The
 * documents do not tell the codes of these two calls, so any 403 is the board's own (111804, 34009).
 */
const refusals = {
  gone: [
    { status: 404, code: '34007' },
    { status: 404, code: '34000' },
  ],
  withheld: [{ status: 403 }],
} as const

const MOST_COLLABORATORS = 1_000
const MOST_OBJECTS = 10_000

export const listWhiteboardCollaborators = defineOperation({
  id: 'whiteboard_collaborators.list',
  method: 'GET',
  path: '/whiteboards/{whiteboardId}/collaborator',
  scopes: ['whiteboard_collaborator:read:admin', 'whiteboard_collaborator:read'],
  granularScopes: [
    'whiteboard:read:list_collaborators:admin',
    'whiteboard:read:list_collaborators',
  ],
  rate: 'MEDIUM',
  bearer: 'oauth',
  query: z.object({}),
  response: z.array(z.unknown()),
  paging: { style: 'whole', mostRecords: MOST_COLLABORATORS },
  ...refusals,
})

export const getWhiteboardContent = defineOperation({
  id: 'whiteboard_content.get',
  method: 'GET',
  path: '/whiteboards/{whiteboardId}/content',
  scopes: ['whiteboard_content:read'],
  granularScopes: ['whiteboard:read:content'],
  rate: 'LIGHT',
  bearer: 'oauth',
  query: z.object({}),
  response: z.looseObject({
    whiteboard_id: z.string(),
    content_objects: z.array(z.unknown()).nullish(),
  }),
  paging: { style: 'record', bounded: { field: 'content_objects', most: MOST_OBJECTS } },
  ...refusals,
})

/** Sharing may change without a word in `modified_date`, so the share setting counts as a version too. */
const perBoard = (versions: readonly string[]): Sync => ({
  kind: 'fan-out',
  parent: whiteboards,
  order: 'created_date',
  request: ([id = '']) => ({
    slice: `whiteboard=${id}`,
    arguments: { path: { whiteboardId: id } },
    filter: {},
  }),
  again: { versions, maxAgeDays: 7 },
})

/**
 * The list ends at 1000 without a word. Whether it did is said of the slice (`possibly_truncated`), since the
 * 1000th name makes no other row new; nobody is called gone by a list that may lack some.
 */
export const whiteboardCollaborators = defineStream({
  name: 'whiteboard_collaborators',
  operation: listWhiteboardCollaborators,
  columns: {
    whiteboard_id: text(),
    collaborator_id: text(),
    collaborator_name: text(),
    collaborator_type: integer([0, 1, 2]),
    role: integer([0, 1, 2, 3, 4]),
    user_id: text(),
    email: text(),
    channel_id: text(),
  },
  key: ['whiteboard_id', 'collaborator_id'],
  expected: ['collaborator_type', 'role'],
  subject: 'user_id',
  personal: ['collaborator_name', 'email'],
  also: ['avatar'],
  transient: [],
  noisy: [],
  sync: perBoard(['modified_date', 'share_scope', 'share_role']),
  gone: { by: 'second-reading', afterMs: 0 },
  derive: (_record, { parent }) => ({ whiteboard_id: parent?.key[0] }),
})

/** The first page of a board, as one row; its objects are of no fixed form and stay in `_raw`. */
export const whiteboardContent = defineStream({
  name: 'whiteboard_content',
  operation: getWhiteboardContent,
  columns: {
    whiteboard_id: text(),
    page_id: text(),
    object_count: integer(),
    possibly_truncated: boolean(),
  },
  key: ['whiteboard_id'],
  expected: ['page_id', 'content_objects'],
  personal: [],
  also: ['content_objects'],
  transient: [],
  noisy: [],
  sync: perBoard(['modified_date']),
  gone: { by: 'parent' },
  derive: ({ content_objects: objects }, { parent }) => {
    const count = Array.isArray(objects) ? objects.length : undefined
    return {
      whiteboard_id: parent?.key[0],
      object_count: count,
      possibly_truncated: count === undefined ? undefined : count >= MOST_OBJECTS,
    }
  },
})
