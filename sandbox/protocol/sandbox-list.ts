import type { ListRows, SeedData } from '../seed-data/seed-data.ts'
import { overlayOf, type SeedState } from '../seed-data/state.ts'
import type { Answering } from './call.ts'
import { rowsOf } from './find-row.ts'
import type { StreamTruth } from './stream-truth.ts'

/** The exports of a file in `lists/`: how its calls are answered, and what the tables must contain. */
export interface SandboxList {
  /** The company's rows. */
  rows?: ListRows
  /** Answers by the operation's ID. */
  answers: Readonly<Record<string, Answering>>
  /** Truths by the stream's name. */
  truths: Readonly<Record<string, StreamTruth>>
}

/** Declares the rows of a list with its own file: `first` makes a row as it is before any change. */
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
