import { z } from 'zod'
import type { Op } from './apply-ops.ts'
import { readBody } from './body.ts'
import { type Answering, type Call, isGranted } from './call.ts'
import { labelAt, labelIndexes, labelItem, MOST_LABELS } from './labels.ts'
import { refuse } from './refusal.ts'

const common = { parameters: [], parameterCode: 34_002, needs: 'classification' } as const
const writes = ['whiteboard_classification_labels:write:admin']

export const labelAnswers: Readonly<Record<string, Answering>> = {
  'classification_labels.list': {
    ...common,
    scopes: [
      'whiteboard_classification_labels:read:admin',
      'whiteboard_classification_labels:read',
    ],
    granularScopes: [
      'whiteboard:read:list_classification_labels:admin',
      'whiteboard:read:list_classification_labels',
    ],
    answer: listLabels,
  },
  'classification_labels.create': {
    ...common,
    scopes: writes,
    granularScopes: ['whiteboard:write:classification_labels:admin'],
    status: 201,
    answer: createLabel,
  },
  'classification_labels.get': {
    ...common,
    scopes: ['whiteboard_classification_labels:read:admin'],
    granularScopes: ['whiteboard:read:classification_labels:admin'],
    answer: (call) => labelItem(labelAt(call.company, call.company.state, labelOf(call)), false),
  },
}

function listLabels(call: Call): object {
  const { company } = call
  const admin = isGranted(call, [
    'whiteboard_classification_labels:read:admin',
    'whiteboard:read:list_classification_labels:admin',
  ])
  const labels = labelIndexes(company, company.state).map((index) =>
    labelItem(labelAt(company, company.state, index), admin),
  )
  return { labels, total_records: labels.length }
}

function createLabel(call: Call): object {
  const { company, nowMs } = call
  const fields = readBody(call, z.strictObject(NEW_LABEL), INVALID)
  if (labelIndexes(company, company.state).length >= MOST_LABELS)
    throw refuse(409, 34006, 'The limit of 30 labels is reached.')
  const patch = { is_default: false, ...fields, createdMs: nowMs, modifiedMs: nowMs }
  const added: Op = { kind: 'labels', action: 'add', patch }
  const [touched] = call.change([added, ...(patch.is_default ? noDefault(call) : [])])
  return labelItem(labelAt(company, company.state, touched?.index ?? 0), false)
}

/** One label alone may be the default: a new one takes it from the one that was. */
function noDefault({ company }: Call): Op[] {
  return labelIndexes(company, company.state)
    .filter((index) => labelAt(company, company.state, index).fields.is_default)
    .map((index) => ({ kind: 'labels', action: 'change', index, patch: { is_default: false } }))
}

function labelOf({ company, path }: Call): number {
  const index = company.ids.labels.indexOf(path.classificationId ?? '')
  const there = index !== undefined && labelIndexes(company, company.state).includes(index)
  if (!there) throw refuse(404, 34005, 'The classification label does not exist.')
  return index
}

const INVALID = 34002
const NEW_LABEL = {
  name: z.string().min(1),
  color: z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a hex color code'),
  sensitivity_level: z.int(),
  description: z.string().optional(),
  guideline_url: z.url().optional(),
  is_default: z.boolean().optional(),
}
