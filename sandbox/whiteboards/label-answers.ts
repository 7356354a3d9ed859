import { z } from 'zod'
import type { Op } from '../protocol/apply-ops.ts'
import { readBody } from '../protocol/body.ts'
import { type Answering, isGranted, type SandboxCall } from '../protocol/call.ts'
import { refuse, type SandboxRefusal } from '../protocol/refusal.ts'
import { demand } from '../protocol/switches.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { boardsCarrying } from './board-labels.ts'
import { type Label, labelAt, labelIndexes, labelItem, MOST_LABELS } from './labels.ts'

const common: Pick<Answering, 'parameters' | 'parameterCode' | 'needs'> = {
  parameters: [],
  parameterCode: 34_002,
  needs: ['classification'],
}
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
    answer: (call) => labelItem(labelIn(call, call.path.classificationId, notFound()).label),
  },
  'classification_labels.delete': {
    ...common,
    scopes: writes,
    granularScopes: ['whiteboard:delete:classification_labels:admin'],
    status: 204,
    answer: deleteLabel,
  },
  'classification_labels.update': {
    ...common,
    scopes: writes,
    granularScopes: ['whiteboard:update:classification_labels:admin'],
    status: 204,
    answer: updateLabel,
  },
}

/** Publishes every draft. In the service a person does that: no API call publishes. */
export function publishing(seedData: SeedData, nowMs: number): Op[] {
  const { state } = seedData
  return labelIndexes(seedData, state).flatMap((index): Op[] => {
    const { draft } = labelAt(seedData, state, index)
    if (draft === undefined) return []
    const patch = { ...draft, draft: undefined, modifiedMs: nowMs }
    const others = draft.is_default === true ? noDefault(seedData, index) : []
    return [...others, { kind: 'labels', action: 'change', index, patch }]
  })
}

/** Returns the index of the label with this ID. Refuses an unknown label, and one that is locked. */
export function labelForUse(
  call: SandboxCall,
  id: string | undefined,
  unknown: SandboxRefusal = notFound(),
): number {
  const { index, label } = labelIn(call, id, unknown)
  if (label.locked) throw refuse(403, 34008, 'You have no permission on this label.')
  return index
}

function listLabels(call: SandboxCall): object {
  const { seedData } = call
  const { state } = seedData
  const admin = isGranted(call, [
    'whiteboard_classification_labels:read:admin',
    'whiteboard:read:list_classification_labels:admin',
  ])
  const counts = boardsCarrying(seedData, state)
  const labels = labelIndexes(seedData, state).map((index) => ({
    ...labelItem(labelAt(seedData, state, index)),
    ...(admin ? { whiteboard_count: counts.get(index) ?? 0 } : {}),
  }))
  return { labels, total_records: labels.length }
}

function createLabel(call: SandboxCall): object {
  const { seedData, nowMs, switches } = call
  demand(switches, 'managesLabels')
  const fields = readBody(call, z.strictObject(NEW_LABEL), INVALID)
  if (labelIndexes(seedData, seedData.state).length >= MOST_LABELS)
    throw refuse(409, 34006, 'The limit of 30 labels is reached.')
  const patch = { is_default: false, ...fields, createdMs: nowMs, modifiedMs: nowMs }
  const added: Op = { kind: 'labels', action: 'add', patch }
  const [touched] = call.change([added, ...(patch.is_default ? noDefault(seedData) : [])])
  return labelItem(labelAt(seedData, seedData.state, touched?.index ?? 0))
}

/** Deletes a label permanently: no later label gets its ID, and its boards then have no label. */
function deleteLabel(call: SandboxCall): undefined {
  demand(call.switches, 'managesLabels')
  const unknown = refuse(404, INVALID, 'The classification label does not exist.')
  const index = labelForUse(call, call.path.classificationId, unknown)
  call.change([{ kind: 'labels', action: 'remove', index }])
}

/** Adds to the label's draft. At most one draft sets a default, because only one label can be the default. */
function updateLabel(call: SandboxCall): undefined {
  const { seedData } = call
  demand(call.switches, 'managesLabels')
  const index = labelForUse(call, call.path.classificationId)
  const fields = readBody(call, CHANGES, INVALID)
  const { draft } = labelAt(seedData, seedData.state, index)
  const others = fields.is_default === true ? noDraftedDefault(seedData) : []
  const patch = { draft: { ...draft, ...fields } }
  call.change([...others, { kind: 'labels', action: 'change', index, patch }])
}

/** Removes the default from all other labels, because only one may be the default. */
function noDefault(seedData: SeedData, but?: number): Op[] {
  return labelIndexes(seedData, seedData.state)
    .filter((index) => index !== but && labelAt(seedData, seedData.state, index).fields.is_default)
    .map((index) => ({ kind: 'labels', action: 'change', index, patch: { is_default: false } }))
}

function noDraftedDefault({ state }: SeedData): Op[] {
  return [...state.labels.patches].flatMap(([index, { draft }]): Op[] => {
    if (draft?.is_default !== true) return []
    const { is_default: _taken, ...kept } = draft
    const rest = Object.keys(kept).length > 0 ? kept : undefined
    return [{ kind: 'labels', action: 'change', index, patch: { draft: rest } }]
  })
}

function labelIn(
  { seedData }: SandboxCall,
  id: string | undefined,
  unknown: SandboxRefusal,
): { index: number; label: Label } {
  const index = seedData.ids.labels.indexOf(id ?? '')
  const there = index !== undefined && labelIndexes(seedData, seedData.state).includes(index)
  if (!there) throw unknown
  return { index, label: labelAt(seedData, seedData.state, index) }
}

function notFound(): SandboxRefusal {
  return refuse(404, 34005, 'The classification label does not exist.')
}

const INVALID = 34002
const SETTABLE = {
  name: z.string().min(1),
  color: z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a hex color code'),
  sensitivity_level: z.int(),
  description: z.string().optional(),
  is_default: z.boolean().optional(),
}
const NEW_LABEL = { ...SETTABLE, guideline_url: z.url().optional() }
const CHANGES = z
  .strictObject({ ...SETTABLE, guideline_url: z.url({ protocol: /^https$/ }) })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'must name a field to change')
