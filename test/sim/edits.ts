import type { Op } from '../../sandbox/protocol/apply-ops.ts'
import type { Sizes } from '../../sandbox/seed-data/options.ts'
import type { Random } from './random.ts'

export interface Editing {
  random: Random
  sizes: Sizes
  nowMs: number
  hot?: boolean
  /** By whiteboard, how many activities were added so far: an archive only grows. */
  grown: Map<number, number>
}

/**
 * A few changes at the source. Most fall on four rows of each kind, so that one row changes again while it
 * is on its way.
 */
export function drawEdits(editing: Editing): Op[] {
  return Array.from({ length: editing.random.between(1, 3) }, () => drawEdit(editing))
}

function drawEdit(editing: Editing): Op {
  const { random } = editing
  if (editing.hot === true) return moveUser(editing)
  const kinds = [editUser, editUser, editSession, editWhiteboard, editRecording, editNumber]
  return random.pick(kinds)(editing)
}

function moveUser({ random, sizes }: Editing): Op {
  const index = random.between(0, 3) * Math.floor(sizes.users / 5)
  const status = random.pick(['active', 'inactive'] as const)
  const patch = { status, last_name: `Moved ${random.between(1, 9_999)}` }
  return { kind: 'users', action: 'change', index, patch }
}

function editUser(editing: Editing): Op {
  const { random, sizes } = editing
  const change = { kind: 'users', action: 'change', index: anyOf(random, sizes.users) } as const
  return random.pick<Op>([
    { ...change, patch: { last_name: `Renamed ${random.between(1, 9_999)}` } },
    { ...change, patch: { last_name: `Renamed ${random.between(1, 9_999)}` } },
    { ...change, patch: { status: random.pick(['active', 'inactive']) } },
    { ...change, patch: { lastLoginMs: recentMs(editing) } },
    { kind: 'users', action: 'remove', index: anyOf(random, sizes.users) },
    { kind: 'users', action: 'add', patch: { status: random.pick(['active', 'pending']) } },
  ])
}

function editSession(editing: Editing): Op {
  const { random, sizes } = editing
  const index = anyOf(random, sizes.sessions)
  const change = { kind: 'sessions', action: 'change', index } as const
  return random.pick<Op>([
    { ...change, patch: { lateQuality: true } },
    { ...change, patch: { has_session_summary: random.chance(0.5) } },
    {
      kind: 'sessions',
      action: 'add',
      patch: { startMs: recentMs(editing), lateQuality: true },
    },
    { kind: 'sessions', action: 'remove', index },
  ])
}

function editWhiteboard(editing: Editing): Op {
  const { random, sizes, grown } = editing
  if (random.chance(0.5))
    return { kind: 'whiteboards', action: 'add', patch: { startMs: recentMs(editing) } }
  const index = anyOf(random, sizes.whiteboards)
  const moreActivities = (grown.get(index) ?? 0) + random.between(1, 9)
  grown.set(index, moreActivities)
  return { kind: 'whiteboards', action: 'change', index, patch: { moreActivities } }
}

function editRecording({ random, sizes, nowMs }: Editing): Op {
  const index = anyOf(random, sizes.recordings)
  const change = { kind: 'recordings', action: 'change', index } as const
  const deletedMs = Math.floor(nowMs / 1000) * 1000 - HOUR_MS
  return random.pick<Op>([
    { ...change, patch: { trash: random.pick(['session', 'file']), deletedMs } },
    { ...change, patch: { trash: 'none' } },
    { ...change, patch: { moreFiles: random.between(1, 3) } },
    { kind: 'recordings', action: 'remove', index },
  ])
}

function editNumber({ random, sizes }: Editing): Op {
  const index = anyOf(random, sizes.numbers)
  const change = { kind: 'numbers', action: 'change', index } as const
  const assignee = random.between(0, sizes.users - 1)
  return random.pick<Op>([
    { ...change, patch: { display_name: `Line ${random.between(1, 9_999)}` } },
    { ...change, patch: { allocated_product: 'SVC_PHONE', assignee } },
    { kind: 'numbers', action: 'remove', index },
    { kind: 'numbers', action: 'add' },
  ])
}

function anyOf(random: Random, count: number): number {
  const hot = random.chance(0.6)
  return hot ? random.between(0, 3) * Math.floor(count / 5) : random.between(0, count - 1)
}

/** Long enough ago for whatever began then to be over. */
function recentMs({ random, nowMs }: Editing): number {
  return Math.floor((nowMs - random.between(5, 60) * HOUR_MS) / 1000) * 1000
}

const HOUR_MS = 3_600_000
