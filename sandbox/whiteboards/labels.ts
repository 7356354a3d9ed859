import { DAY_MS } from '../../src/core/time/time.ts'
import { hash } from '../base/random.ts'
import { trueTime, wireTime } from '../base/wire-time.ts'
import type { LabelFields } from '../seed-data/board-patches.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'

type Json = Record<string, unknown>

/** A data-classification label, without the number of its boards. */
export interface Label {
  h: number
  locked: boolean
  draft: LabelFields | undefined
  createdMs: number
  modifiedMs: number
  fields: {
    classification_id: string
    name: string
    description: string | undefined
    color: string
    sensitivity_level: number
    guideline_url: string | undefined
    is_default: boolean
  }
}

export const MOST_LABELS = 30

/** Returns the indexes of the existing labels, in ascending order; an account has at most thirty labels. */
export function labelIndexes(seedData: SeedData, state: SeedState): number[] {
  const { gone, added } = state.labels
  const all = Array.from({ length: seedData.sizes.labels + added }, (_, index) => index)
  return all.filter((index) => !gone.has(index)).slice(0, MOST_LABELS)
}

export function labelAt(seedData: SeedData, state: SeedState, index: number): Label {
  const h = hash(seedData.seed, 111, index)
  const patch = state.labels.patches.get(index) ?? {}
  const made = patch.createdMs !== undefined
  const createdMs = patch.createdMs ?? seedData.originMs - (200 + (h % 400)) * DAY_MS
  const name = NAMES[index] ?? `Project ${String(index)}`
  const own = <T>(value: T): T | undefined => (made ? undefined : value)
  return {
    h,
    locked: patch.locked ?? index === lockedLabel(seedData),
    draft: patch.draft,
    createdMs,
    modifiedMs: patch.modifiedMs ?? createdMs + (made ? 0 : ((h >>> 7) % 90) * DAY_MS),
    fields: {
      classification_id: seedData.ids.labels.of(index),
      name: patch.name ?? name,
      description: patch.description ?? own(h % 4 === 0 ? undefined : `What counts as ${name}`),
      color: patch.color ?? `#${(h & 0xffffff).toString(16).padStart(6, '0')}`,
      sensitivity_level: patch.sensitivity_level ?? index + 1,
      guideline_url:
        patch.guideline_url ??
        own(h % 3 === 0 ? undefined : `https://intranet.example/labels/${String(index)}`),
      // Only one label may be the default.
      is_default: patch.is_default ?? index === FIRST_DEFAULT,
    },
  }
}

/** Returns the index of the label that new boards get; undefined if there is none. */
export function defaultLabel(seedData: SeedData, state: SeedState): number | undefined {
  return labelIndexes(seedData, state).find(
    (index) => labelAt(seedData, state, index).fields.is_default,
  )
}

/**
 * Returns the base label that is locked for the account's owner, which is never the default. Others can read
 * it, but not change, delete or apply it.
 */
function lockedLabel({ seed, sizes }: SeedData): number {
  return FIRST_DEFAULT + 1 + (hash(seed, 113, 0) % Math.max(1, sizes.labels - FIRST_DEFAULT - 1))
}

export function labelItem({ h, createdMs, modifiedMs, fields }: Label): Json {
  return {
    ...fields,
    create_time: wireTime(createdMs, h),
    modify_time: wireTime(modifiedMs, h >>> 4),
  }
}

export function labelTruth(
  { h, createdMs, modifiedMs, fields }: Label,
  whiteboard_count: number,
): Json {
  return {
    ...fields,
    description: fields.description ?? null,
    sensitivity_level: String(fields.sensitivity_level),
    guideline_url: fields.guideline_url ?? null,
    create_time: trueTime(createdMs, h),
    modify_time: trueTime(modifiedMs, h >>> 4),
    whiteboard_count: String(whiteboard_count),
  }
}

const FIRST_DEFAULT = 1
const NAMES = [
  'Public',
  'Internal',
  'Confidential',
  'Restricted',
  'Personal data',
  'Board only',
  'Legal hold',
  'Export controlled',
  'Health data',
  'Payment data',
  'Research',
  'Prototype',
]
