import type { Op } from '../../sandbox/protocol/apply-ops.ts'
import type { Sizes } from '../../sandbox/seed-data/options.ts'
import type { Random } from './random.ts'

export interface MixEditing {
  random: Random
  sizes: Sizes
  nowMs: number
  jobs: readonly string[]
}

/** A few changes at the source of what the plan's details, settings and boards are. */
export function drawMixEdits(editing: MixEditing): Op[] {
  const kinds = editing.jobs.flatMap((job) => EDITS[job] ?? [])
  if (kinds.length === 0) return []
  return Array.from({ length: editing.random.between(1, 3) }, () =>
    editing.random.pick(kinds)(editing),
  )
}

/** One change of each kind that a list shows which is read each night. */
export function drawNight(editing: MixEditing): Op[] {
  return editing.jobs.flatMap((job) => SHOWN[job] ?? []).map((edit) => edit(editing))
}

type Edit = (editing: MixEditing) => Op
type Edits = Readonly<Record<string, readonly Edit[]>>

const editBoard: Edit = ({ random, sizes, nowMs }) => {
  const index = oneOf(random, sizes.boards)
  const modifiedMs = lately(random, nowMs)
  const change = { kind: 'boards', action: 'change', index } as const
  return random.pick<Op>([
    { ...change, patch: { edits: random.between(1, 9_999), modifiedMs } },
    { ...change, patch: { objects: random.between(0, 20), modifiedMs } },
    { ...change, patch: { roleShift: random.between(1, 99), modifiedMs } },
    { ...change, patch: { collaborators: random.between(1, 6), modifiedMs } },
    // What is shared changes without a word in the date.
    { ...change, patch: { share_scope: random.between(0, 3) } },
    { ...change, patch: { label: random.between(0, 3) } },
    { kind: 'boards', action: 'remove', index: REMOVED },
    { kind: 'boards', action: 'add', patch: { createdMs: modifiedMs, modifiedMs } },
  ])
}

const editLabel: Edit = ({ random, sizes, nowMs }) => {
  const index = oneOf(random, sizes.labels)
  const description = `Reworded ${random.between(1, 9_999)}`
  const patch = { description, modifiedMs: lately(random, nowMs) }
  return random.pick<Op>([
    { kind: 'labels', action: 'change', index, patch },
    { kind: 'labels', action: 'add' },
    { kind: 'labels', action: 'remove', index: REMOVED },
  ])
}

/** A policy may lose all of its numbers. */
const editPolicy: Edit = ({ random, sizes, nowMs }) => {
  const index = oneOf(random, sizes.consents)
  const change = { kind: 'consents', action: 'change', index } as const
  const modifiedMs = lately(random, nowMs)
  return random.pick<Op>([
    { ...change, patch: { numbers: random.between(0, 8), modifiedMs } },
    { ...change, patch: { description: `Reworded ${random.between(1, 9_999)}`, modifiedMs } },
    // One number in the place of another, which neither the count nor the date tells.
    { ...change, patch: { put: [random.between(0, sizes.numbers - 1)] } },
    { kind: 'consents', action: 'add', patch: { numbers: random.between(1, 4) } },
    { kind: 'consents', action: 'remove', index: REMOVED },
  ])
}

const editOrder: Edit = ({ random, sizes }) => {
  const index = oneOf(random, sizes.orders)
  const status = random.pick(['Waiting', 'Processing', 'Successfully', 'FOC'])
  return random.pick<Op>([
    { kind: 'orders', action: 'change', index, patch: { status } },
    { kind: 'orders', action: 'add' },
    { kind: 'orders', action: 'remove', index: index === 0 ? REMOVED : index },
  ])
}

const editSip: Edit = ({ random, sizes }) => {
  const kind = random.pick(['groups', 'trunks'] as const)
  const patch = { name: `Renamed ${random.between(1, 9_999)}` }
  return random.pick<Op>([
    { kind, action: 'change', index: oneOf(random, sizes[kind]), patch },
    { kind, action: 'add' },
    { kind, action: 'remove', index: REMOVED },
  ])
}

const editPeering: Edit = ({ random, sizes }) => {
  const index = oneOf(random, sizes.peering)
  const change = { kind: 'peering', action: 'change', index } as const
  return random.pick<Op>([
    { ...change, patch: { status: random.chance(0.5) } },
    { ...change, patch: { service_info: `Order ${random.between(1, 9_999)}` } },
    { kind: 'peering', action: 'remove', index: REMOVED },
    { kind: 'peering', action: 'add' },
  ])
}

const editLocation: Edit = ({ random, sizes }) => {
  const index = oneOf(random, sizes['list:storage_locations'])
  const patch = { name: `Archive ${random.between(10, 9_999)}` }
  return random.pick<Op>([
    { kind: 'list:storage_locations', action: 'change', index, patch },
    {
      kind: 'list:storage_locations',
      action: 'change',
      index,
      patch: { selected: random.chance(0.5) },
    },
    { kind: 'list:storage_locations', action: 'add' },
    { kind: 'list:storage_locations', action: 'remove', index: REMOVED },
  ])
}

/** Some of it only the detail tells. */
const editNumber: Edit = ({ random, sizes }) => {
  const change = { kind: 'numbers', action: 'change', index: oneOf(random, sizes.numbers) } as const
  const assignee = random.between(0, sizes.users - 1)
  return random.pick<Op>([
    { ...change, patch: { label: `Label ${random.between(1, 9_999)}` } },
    { ...change, patch: { allocated_product: 'SVC_PHONE', assignee, label: 'Handed over' } },
    { ...change, patch: { status: random.pick(['Normal', 'Pending']) } },
    { kind: 'numbers', action: 'remove', index: change.index },
    { kind: 'numbers', action: 'add' },
  ])
}

const editPerson: Edit = ({ random, sizes, nowMs }) => {
  const change = { kind: 'users', action: 'change', index: oneOf(random, sizes.users) } as const
  return random.pick<Op>([
    { ...change, patch: { job_title: `Lead ${random.between(1, 9_999)}` } },
    { ...change, patch: { company: `Company ${random.between(1, 9_999)}` } },
    { ...change, patch: { lastLoginMs: lately(random, nowMs) } },
    { ...change, patch: { status: random.pick(['active', 'inactive'] as const) } },
    { kind: 'users', action: 'remove', index: change.index },
    { kind: 'users', action: 'add', patch: { status: random.pick(['active', 'pending']) } },
  ])
}

const editRecording: Edit = ({ random, sizes, nowMs }) => {
  const index = oneOf(random, sizes.recordings)
  const change = { kind: 'recordings', action: 'change', index } as const
  const deletedMs = Math.floor(nowMs / 1_000) * 1_000 - HOUR_MS
  return random.pick<Op>([
    { ...change, patch: { moreFiles: random.between(1, 3) } },
    { ...change, patch: { trash: random.pick(['session', 'file', 'none'] as const), deletedMs } },
    { kind: 'recordings', action: 'remove', index },
  ])
}

const datedBoard: Edit = ({ random, sizes, nowMs }) => {
  const modifiedMs = lately(random, nowMs)
  return {
    kind: 'boards',
    action: 'change',
    index: oneOf(random, sizes.boards),
    patch: random.pick([
      { edits: random.between(1, 9_999), modifiedMs },
      { collaborators: random.between(1, 6), roleShift: random.between(1, 99), modifiedMs },
      { share_scope: random.between(0, 3), modifiedMs },
    ]),
  }
}

const datedPolicy: Edit = ({ random, sizes, nowMs }) => ({
  kind: 'consents',
  action: 'change',
  index: oneOf(random, sizes.consents),
  patch: { numbers: random.between(1, 8), modifiedMs: lately(random, nowMs) },
})

const listedNumber: Edit = ({ random, sizes }) => {
  const change = {
    kind: 'numbers',
    action: 'change',
    index: lateOf(random, sizes.numbers),
  } as const
  const patch = { allocated_product: 'SVC_PHONE', assignee: random.between(0, sizes.users - 1) }
  const label = `Handed over ${random.between(1, 9_999)}`
  // The same person may have it again, so that its name must show that something changed.
  return { ...change, patch: { ...patch, label, display_name: label } }
}

const numberOfNight: Edit = ({ random, sizes }) =>
  random.pick<Op>([
    { kind: 'numbers', action: 'remove', index: oneOf(random, sizes.numbers) },
    { kind: 'numbers', action: 'add' },
  ])

const listedPerson: Edit = ({ random, sizes }) => ({
  kind: 'users',
  action: 'change',
  index: lateOf(random, sizes.users),
  patch: { last_name: `Renamed ${random.between(1, 9_999)}` },
})

const personOfNight: Edit = ({ random, sizes }) =>
  random.pick<Op>([
    { kind: 'users', action: 'remove', index: oneOf(random, sizes.users) },
    { kind: 'users', action: 'add', patch: { status: random.pick(['active', 'pending']) } },
  ])

const EDITS: Edits = {
  whiteboards: [editBoard, editBoard, editLabel],
  'number-settings': [editPolicy, editOrder, editSip, editPeering],
  'number-details': [editNumber, editOrder],
  'recording-details': [editRecording, editLocation],
  'user-details': [editPerson],
}

const SHOWN: Edits = {
  whiteboards: [datedBoard, editLabel],
  'number-settings': [datedPolicy, editOrder, editSip, editPeering],
  'number-details': [listedNumber, numberOfNight],
  'recording-details': [editLocation],
  'user-details': [listedPerson, personOfNight],
}

/** Most fall on two rows of each kind, so that one row changes again while it is on its way. */
function oneOf(random: Random, count = 1): number {
  return random.chance(0.5) ? random.between(0, 1) : random.between(0, count - 1)
}

/** One of those that hardly any other edit falls on, and that are no invitations. */
function lateOf(random: Random, count: number): number {
  return random.between(Math.ceil(count / 2), Math.floor(count * 0.9) - 1)
}

/** An instant of the last hours, to the second. */
function lately(random: Random, nowMs: number): number {
  return Math.floor((nowMs - random.between(1, 20) * HOUR_MS) / 1_000) * 1_000
}

/** Of a short list one row goes and no other: where all of them go at once a person is asked. */
const REMOVED = 2
const HOUR_MS = 3_600_000
