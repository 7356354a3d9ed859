import { z } from 'zod'
import { boolean, integer, text } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { boardRefusals, perBoard } from './board-details.ts'
import { whiteboardErrors } from './service-errors.ts'

const MOST_OBJECTS = 10_000

/** The calls cover only the first page, and are not available in the government cluster. */
const common = {
  path: '/whiteboards/{whiteboardId}/content',
  rate: 'LIGHT',
  bearer: 'oauth',
  query: z.object({}),
  unavailableIn: ['government'],
  errors: whiteboardErrors('invalid', 'boardMissing', 'boardForbidden', 'documentForbidden'),
} as const

export const getWhiteboardContent = defineOperation({
  id: 'whiteboard_content.get',
  summary: 'Read the objects of a whiteboard’s first page',
  method: 'GET',
  scopes: ['whiteboard_content:read'],
  granularScopes: ['whiteboard:read:content'],
  ...common,
  response: z.looseObject({
    whiteboard_id: z.string(),
    content_objects: z.array(z.unknown()).nullish(),
  }),
  names: { whiteboardId: ['whiteboard_id'] },
  paging: { style: 'record', bounded: { field: 'content_objects', most: MOST_OBJECTS } },
  ...boardRefusals,
})

export const saveWhiteboardContent = defineOperation({
  id: 'whiteboard_content.save',
  summary: 'Add or change objects of a whiteboard',
  method: 'POST',
  scopes: ['whiteboard_content:write'],
  granularScopes: ['whiteboard:write:content'],
  ...common,
  body: z.strictObject({
    content_objects: z.array(z.looseObject({})).min(1).max(MOST_OBJECTS),
  }),
  success: { status: 201 },
  response: z.looseObject({
    added: z.number(),
    updated: z.number(),
    page_id: z.string(),
  }),
})

export const deleteWhiteboardContent = defineOperation({
  id: 'whiteboard_content.delete',
  summary: 'Delete objects of a whiteboard',
  method: 'DELETE',
  scopes: ['whiteboard:write'],
  granularScopes: ['whiteboard:delete:content'],
  ...common,
  body: z.strictObject({ object_ids: z.array(z.string().min(1)).min(1) }),
  success: { status: 204 },
  response: z.unknown(),
})

/** One row per board. The objects of its first page have no fixed form, so they are only in `_raw`. */
export const whiteboardContent = defineStream({
  name: 'whiteboard_content',
  about: 'The first page of one board; the objects themselves are in _raw.',
  operation: getWhiteboardContent,
  columns: {
    whiteboard_id: text('ID of the board, from whiteboards.whiteboard_id.'),
    page_id: text('ID of the first page.'),
    object_count: integer('Number of objects on the page; null if it is not known.'),
    possibly_truncated: boolean(
      'Whether the page is as long as the service shows at most, so that more may exist.',
    ),
  },
  key: ['whiteboard_id'],
  expected: ['page_id', 'content_objects'],
  personal: [],
  also: ['content_objects'],
  transient: [],
  volatile: [],
  sync: perBoard(['modified_date']),
  deletions: { by: 'parent' },
  derive: ({ content_objects: objects }, { parent }) => {
    // An absent or null list is empty (`docs/readings.md`). With any other value the count is unknown.
    const list = objects ?? []
    const count = Array.isArray(list) ? list.length : undefined
    return {
      whiteboard_id: parent?.key[0],
      object_count: count,
      possibly_truncated: count === undefined ? undefined : count >= MOST_OBJECTS,
    }
  },
})
