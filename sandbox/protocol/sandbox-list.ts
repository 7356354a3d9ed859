import type { ListRows, SeedData } from '../seed-data/seed-data.ts'
import { overlayOf, type SeedState } from '../seed-data/state.ts'
import type { Answering } from './call.ts'
import { rowsOf } from './find-row.ts'
import type { StreamTruth } from './stream-truth.ts'

/** What a file of `lists/` exports: how its calls are answered, and what the tables must hold of it. */
export interface SandboxList {
  /** What the company has of it. */
  rows?: ListRows
  /** By the ID of the operation. */
  answers: Readonly<Record<string, Answering>>
  /** By the name of the stream. */
  truths: Readonly<Record<string, StreamTruth>>
}

/** The rows of such a list: `first` says what a row is until something of it is changed. */
export function defineRows<Row extends object>(
  declared: ListRows & { first(seedData: SeedData, index: number): Row },
) {
  const { kind, first } = declared
  return {
    ...declared,
    listing: (seedData: SeedData, state: SeedState) => rowsOf(seedData, state, kind),
    at: (seedData: SeedData, state: SeedState, index: number): Row & { id: string } => ({
      id: seedData.ids[kind]?.of(index) ?? '',
      ...first(seedData, index),
      ...overlayOf(state, kind).patches.get(index),
    }),
  }
}
