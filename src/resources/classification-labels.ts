import { z } from 'zod'
import { boolean, instant, integer, text } from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { type CallArguments } from '../core/define/operation.ts'
import { whiteboardErrors } from './service-errors.ts'

const one = '/whiteboards/classification_labels/{classificationId}'
const write = ['whiteboard_classification_labels:write:admin']
const common = { rate: 'LIGHT', bearer: 'oauth', query: z.object({}) } as const

const label = z.looseObject({
  classification_id: z.string(),
  color: z.string(),
  name: z.string(),
  sensitivity_level: z.number().int(),
})

/** The fields that a caller may set, besides `guideline_url`, which must use HTTPS only in an update. */
const settable = {
  name: z.string().min(1),
  color: z.string().regex(/^#[0-9A-Fa-f]{6}$/, 'a hex color code, e.g. #1A9C4B'),
  sensitivity_level: z.number().int(),
  description: z.string().optional(),
  is_default: z.boolean().optional(),
}
const onBoard = z.strictObject({ classification_id: z.string().min(1) })
const boardOf = ({ path }: CallArguments): string => path?.whiteboardId ?? ''
const httpsUri = z.url({ protocol: /^https$/, error: 'an address that begins with https://' })

export const listClassificationLabels = defineOperation({
  id: 'classification_labels.list',
  summary: 'List the classification labels',
  method: 'GET',
  path: '/whiteboards/classification_labels',
  scopes: ['whiteboard_classification_labels:read:admin', 'whiteboard_classification_labels:read'],
  granularScopes: [
    'whiteboard:read:list_classification_labels:admin',
    'whiteboard:read:list_classification_labels',
  ],
  ...common,
  errors: whiteboardErrors('invalid', 'labelsForbidden', 'labelsOff'),
  response: z.looseObject({
    labels: z.array(z.unknown()),
    total_records: z.number().int().nullish(),
  }),
  // At most 30 labels per account; the documents show no page token.
  paging: { style: 'whole', items: 'labels' },
})

export const createClassificationLabel = defineOperation({
  id: 'classification_labels.create',
  summary: 'Create a classification label',
  method: 'POST',
  path: '/whiteboards/classification_labels',
  scopes: write,
  granularScopes: ['whiteboard:write:classification_labels:admin'],
  ...common,
  body: z.strictObject({ ...settable, guideline_url: z.url().optional() }),
  success: { status: 201 },
  errors: whiteboardErrors('invalid', 'labelsForbidden', 'labelsOff', 'labelLimit'),
  response: label,
})

export const getClassificationLabel = defineOperation({
  id: 'classification_labels.get',
  summary: 'Read one classification label',
  method: 'GET',
  path: one,
  scopes: ['whiteboard_classification_labels:read:admin'],
  granularScopes: ['whiteboard:read:classification_labels:admin'],
  ...common,
  errors: whiteboardErrors(
    'invalid',
    'labelsForbidden',
    'labelsOff',
    'labelMissing',
    'labelForbidden',
  ),
  response: label,
  names: { classificationId: ['classification_id'] },
  deleted: [{ status: 404, code: '34005' }],
})

export const deleteClassificationLabel = defineOperation({
  id: 'classification_labels.delete',
  summary: 'Permanently delete a classification label',
  method: 'DELETE',
  path: one,
  scopes: write,
  granularScopes: ['whiteboard:delete:classification_labels:admin'],
  ...common,
  success: { status: 204 },
  errors: whiteboardErrors(
    'invalid',
    'labelsForbidden',
    'labelsOff',
    'unknownLabelOnDelete',
    'labelForbidden',
  ),
  response: z.unknown(),
})

/** Changes only the given fields. The service saves the changes as a draft. */
export const updateClassificationLabel = defineOperation({
  id: 'classification_labels.update',
  summary: 'Change a classification label, as a draft',
  method: 'PATCH',
  path: one,
  scopes: write,
  granularScopes: ['whiteboard:update:classification_labels:admin'],
  ...common,
  body: z
    .strictObject({ ...settable, guideline_url: httpsUri })
    .partial()
    .refine((changes) => Object.keys(changes).length > 0, 'at least one field to change'),
  success: { status: 204 },
  errors: whiteboardErrors(
    'invalid',
    'labelsForbidden',
    'labelsOff',
    'labelMissing',
    'labelForbidden',
  ),
  response: z.unknown(),
})

/** Replaces the board's label, if it has one. */
export const applyClassification = defineOperation({
  id: 'whiteboard_classification.apply',
  summary: 'Put a classification label on a whiteboard',
  method: 'PUT',
  path: '/whiteboards/{whiteboardId}/classification',
  scopes: ['whiteboard:write:admin', 'whiteboard:write'],
  granularScopes: [
    'whiteboard:update:whiteboard_classification',
    'whiteboard:update:whiteboard_classification:admin',
  ],
  ...common,
  body: onBoard,
  success: { status: 204 },
  errors: whiteboardErrors(
    'invalid',
    'labelsOff',
    'labelMissing',
    'boardMissing',
    'labelForbidden',
    'boardForbidden',
  ),
  response: z.unknown(),
  labels: (args, body) => ({
    whiteboardId: boardOf(args),
    classificationId: onBoard.parse(body).classification_id,
  }),
})

export const removeClassification = defineOperation({
  id: 'whiteboard_classification.remove',
  summary: 'Take the classification label off a whiteboard',
  method: 'DELETE',
  path: '/whiteboards/{whiteboardId}/classification',
  scopes: ['whiteboard:write', 'whiteboard:write:admin'],
  granularScopes: [
    'whiteboard:delete:whiteboard_classification',
    'whiteboard:delete:whiteboard_classification:admin',
  ],
  ...common,
  success: { status: 204 },
  errors: whiteboardErrors('invalid', 'labelsOff', 'boardMissing', 'boardForbidden'),
  unavailableIn: ['government'],
  response: z.unknown(),
  labels: (args) => ({ whiteboardId: boardOf(args), classificationId: null }),
})

/** Only callers with an admin scope get `whiteboard_count`. A missing count does not mean 0. */
export const classificationLabels = defineStream({
  name: 'classification_labels',
  about: 'One classification label that boards can carry.',
  operation: listClassificationLabels,
  columns: {
    classification_id: text('ID of the label.'),
    name: text('Name that people see on the label.'),
    description: text('Description of the label.'),
    color: text('Color of the label as a hex code.'),
    sensitivity_level: integer('Rank of the label by sensitivity.'),
    guideline_url: text('Address of the guideline for the label.'),
    is_default: boolean('Whether new boards get this label; one label at most does.'),
    create_time: instant('When the label was created.'),
    modify_time: instant('When the label was last changed.'),
    whiteboard_count: integer(
      'Number of boards with the label; null if the app lacks an admin scope.',
    ),
  },
  key: ['classification_id'],
  expected: ['name', 'color', 'sensitivity_level'],
  personal: [],
  transient: [],
  volatile: [],
  sync: {
    kind: 'snapshot',
    requests: () => [{ slice: 'all', arguments: {}, filter: {} }],
  },
  deletions: { by: 'second-read', afterMs: 0 },
})
