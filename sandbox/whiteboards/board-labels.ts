import { hash } from '../base/random.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'
import { boardCount } from './boards.ts'
import { labelIndexes } from './labels.ts'

/** The label of a board, for tests: no call of the service shows it. */
export interface CarriedLabel {
  whiteboard_id: string
  classification_id: string | null
}

export function* boardLabels(seedData: SeedData): Generator<CarriedLabel> {
  const { state, ids } = seedData
  const there = new Set(labelIndexes(seedData, state))
  for (const index of boardIndexes(seedData, state)) {
    const label = labelOn(seedData, state, index)
    yield {
      whiteboard_id: ids.boards.of(index),
      classification_id: label !== undefined && there.has(label) ? ids.labels.of(label) : null,
    }
  }
}

/** Counts the boards of each existing label. Cached per state, because counting reads every board. */
export function boardsCarrying(seedData: SeedData, state: SeedState): ReadonlyMap<number, number> {
  const known = COUNTS.get(state)
  if (known !== undefined) return known
  const counts = new Map(labelIndexes(seedData, state).map((label) => [label, 0]))
  for (const index of boardIndexes(seedData, state)) {
    const label = labelOn(seedData, state, index)
    const count = label === undefined ? undefined : counts.get(label)
    if (label !== undefined && count !== undefined) counts.set(label, count + 1)
  }
  COUNTS.set(state, counts)
  return counts
}

function* boardIndexes(seedData: SeedData, state: SeedState): Generator<number> {
  for (let index = 0; index < boardCount(seedData, state); index++)
    if (!state.boards.gone.has(index)) yield index
}

/** Returns the index of the board's last label, which may be deleted. A third of base boards have none. */
function labelOn({ seed, sizes }: SeedData, state: SeedState, index: number): number | undefined {
  const given = state.boards.patches.get(index)?.label
  if (given !== undefined) return given ?? undefined
  const h = hash(seed, 112, index)
  return h % 3 === 0 ? undefined : Math.min((h >>> 3) % sizes.labels, (h >>> 9) % sizes.labels)
}

const COUNTS = new WeakMap<SeedState, ReadonlyMap<number, number>>()
