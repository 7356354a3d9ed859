import { DAY_MS } from '../../src/core/time/time.ts'
import { hash } from '../base/random.ts'
import { HOUR_MS } from '../base/wire-time.ts'
import type { Op } from '../protocol/apply-ops.ts'
import type { BoardPatch } from '../seed-data/board-patches.ts'
import { type Day, drawer } from '../seed-data/draw-rows.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { MOST_LABELS } from './labels.ts'

/**
 * Edits, shares and locks boards of any age, as their modification dates show. Adds boards, and deletes a few
 * boards of the last weeks, only with even indexes. Changes a label's description and makes another label.
 */
export function planBoards(seedData: SeedData, day: Day): Op[] {
  const { state, sizes, boardTimes } = seedData
  const draw = drawer(day, 121)
  const all = { from: 0, until: sizes.boards }
  const recent = { from: boardTimes.firstAtOrAfter(day.nowMs - 25 * DAY_MS), until: sizes.boards }
  const there = (index: number): boolean => !state.boards.gone.has(index)
  const before = (index: number): BoardPatch => state.boards.patches.get(index) ?? {}
  const change = (index: number, patch: BoardPatch): Op => ({
    kind: 'boards',
    action: 'change',
    index,
    patch: { ...patch, modifiedMs: lately(day, index) },
  })
  const shift = 1 + (day.seed % 2)
  const added = Math.max(1, Math.round(sizes.boards * 0.003 * day.scale))
  return [
    ...draw(all, 0.01, there).map((i) => change(i, { edits: (before(i).edits ?? 0) + 1 })),
    ...draw(all, 0.01, there).map((i) => change(i, { share_scope: hash(day.seed, 122, i) % 4 })),
    ...draw(all, 0.01, there).map((i) =>
      change(i, { roleShift: (before(i).roleShift ?? 0) + shift, collaborators: 3 + (i % 8) }),
    ),
    ...draw(all, 0.005, there).map((i) => change(i, { locked: true, objects: 61 + (i % 40) })),
    ...draw(recent, 0.02, (index) => there(index) && index % 2 === 0).map(
      (index): Op => ({ kind: 'boards', action: 'remove', index }),
    ),
    ...Array.from({ length: added }, (_, n): Op => {
      const createdMs = lately(day, n + 700)
      return { kind: 'boards', action: 'add', patch: { createdMs, modifiedMs: createdMs } }
    }),
    ...planLabels(seedData, day),
  ]
}

function planLabels({ sizes, state }: SeedData, day: Day): Op[] {
  const index = hash(day.seed, 123, 0) % sizes.labels
  const patch = { description: `Reworded on day ${String(day.seed)}`, modifiedMs: lately(day, 900) }
  const described: Op[] = state.labels.gone.has(index)
    ? []
    : [{ kind: 'labels', action: 'change', index, patch }]
  const full = sizes.labels + state.labels.added >= MOST_LABELS
  return full ? described : [...described, { kind: 'labels', action: 'add' }]
}

/** Returns an instant in the last day, to the second. */
function lately(day: Day, n: number): number {
  const ms = day.nowMs - HOUR_MS - (hash(day.seed, 124, n) % (20 * 3600)) * 1000
  return Math.floor(ms / 1000) * 1000
}
