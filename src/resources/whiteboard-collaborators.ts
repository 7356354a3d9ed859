import { z } from 'zod'
import { coded, text } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { boardRefusals, perBoard } from './board-details.ts'
import { whiteboardErrors } from './service-errors.ts'

const MOST_COLLABORATORS = 1_000

const all = '/whiteboards/{whiteboardId}/collaborator'
const write = ['whiteboard_collaborator:write:admin', 'whiteboard_collaborator:write']
const common = { rate: 'MEDIUM', bearer: 'oauth', query: z.object({}) } as const
const refused = whiteboardErrors('invalid', 'boardMissing', 'boardForbidden', 'documentForbidden')
const refusedOwner = [...refused, ...whiteboardErrors('ownerNotInAccount')]
const role = z.number().int().min(0).max(4)
/** Whether a field has a value. Of `email` and `channel_id`, the field without one may be absent or empty. */
const filled = (value: string | undefined): boolean => value !== undefined && value !== ''

export const listWhiteboardCollaborators = defineOperation({
  id: 'whiteboard_collaborators.list',
  summary: 'List who works on a whiteboard',
  method: 'GET',
  path: all,
  scopes: ['whiteboard_collaborator:read:admin', 'whiteboard_collaborator:read'],
  granularScopes: [
    'whiteboard:read:list_collaborators:admin',
    'whiteboard:read:list_collaborators',
  ],
  ...common,
  errors: refused,
  response: z.array(z.unknown()),
  names: { whiteboardId: ['whiteboard_id'] },
  paging: { style: 'whole', mostRecords: MOST_COLLABORATORS },
  ...boardRefusals,
})

/** A new owner or co-owner must be in the owner's account. A new owner makes the former owner a co-owner. */
export const shareWhiteboard = defineOperation({
  id: 'whiteboard_collaborators.add',
  summary: 'Share a whiteboard with users and channels',
  method: 'POST',
  path: all,
  scopes: write,
  granularScopes: ['whiteboard:write:collaborator:admin', 'whiteboard:write:collaborator'],
  ...common,
  body: z.strictObject({
    collaborators: z
      .array(
        z
          .strictObject({
            email: z.string().optional(),
            channel_id: z.string().optional(),
            role,
          })
          .refine(
            ({ email, channel_id: channel }) => filled(email) !== filled(channel),
            'either email or channel_id, and not both',
          ),
      )
      .min(1),
    invite_message: z.string().optional(),
    skip_notifications: z.boolean().optional(),
  }),
  success: { status: 201 },
  errors: refusedOwner,
  response: z.array(z.looseObject({ collaborator_id: z.string() })),
})

export const changeCollaborators = defineOperation({
  id: 'whiteboard_collaborators.update',
  summary: 'Change the roles of collaborators',
  method: 'PATCH',
  path: all,
  scopes: write,
  granularScopes: ['whiteboard:update:collaborator:admin', 'whiteboard:update:collaborator'],
  ...common,
  body: z.strictObject({
    collaborators: z.array(z.strictObject({ collaborator_id: z.string().min(1), role })).min(1),
  }),
  success: { status: 204 },
  errors: refusedOwner,
  response: z.unknown(),
})

export const removeCollaborator = defineOperation({
  id: 'whiteboard_collaborators.remove',
  summary: 'Take a collaborator off a whiteboard',
  method: 'DELETE',
  path: `${all}/{collaboratorId}`,
  scopes: write,
  granularScopes: ['whiteboard:delete:collaborator:admin', 'whiteboard:delete:collaborator'],
  ...common,
  success: { status: 204 },
  errors: refused,
  response: z.unknown(),
})

/**
 * The list silently ends at 1,000 entries. The slice records this (`possibly_truncated`). Rows do not, so
 * that the 1,000th entry changes no other row. A list that may be cut marks nobody as deleted.
 */
export const whiteboardCollaborators = defineStream({
  name: 'whiteboard_collaborators',
  about: 'One person or channel that a board is shared with.',
  operation: listWhiteboardCollaborators,
  columns: {
    whiteboard_id: text('ID of the board, from whiteboards.whiteboard_id.'),
    collaborator_id: text('ID of the collaborator.'),
    collaborator_name: text('Name of the collaborator.'),
    collaborator_type: coded('Kind of collaborator', {
      0: 'user of the account',
      1: 'user from outside',
      2: 'channel',
    }),
    role: coded('Role on the board', {
      0: 'owner',
      1: 'co-owner',
      2: 'editor',
      3: 'commenter',
      4: 'viewer',
    }),
    user_id: text('ID of the user, from users.id; null unless collaborator_type is 0.'),
    email: text('E-mail address; null unless collaborator_type is 0.'),
    channel_id: text('ID of the channel; null unless collaborator_type is 2.'),
    avatar: text('Picture of the collaborator.'),
  },
  key: ['whiteboard_id', 'collaborator_id'],
  expected: ['collaborator_type', 'role'],
  subject: ['user_id', 'email', 'collaborator_id'],
  person: { known: ['user_id', 'email', 'collaborator_id'], called: [['collaborator_name']] },
  personal: ['collaborator_name', 'email', 'avatar'],
  transient: [],
  volatile: [],
  sync: perBoard(['modified_date', 'share_scope', 'share_role']),
  deletions: { by: 'second-read', afterMs: 0 },
  derive: (_record, { parent }) => ({ whiteboard_id: parent?.key[0] }),
})
