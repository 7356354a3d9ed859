import type { SeedData } from '../seed-data/seed-data.ts'
import type { Kind, SeedState } from '../seed-data/state.ts'

export type TruthRow = Readonly<Record<string, unknown>>

/** What one row of the company is in one stream: a row, several that are cut from it, or none. */
export interface StreamTruth {
  kind: Kind
  key: readonly string[]
  rows(
    seedData: SeedData,
    state: SeedState,
    where: { index: number; nowMs: number },
  ): readonly TruthRow[]
  /** Kinds that any row may follow beside its own: when one of these is touched, every row may change. */
  follows?: readonly Kind[]
  /** What the payload holds beside the row's columns: when it changes, the row has changed. */
  beside?(seedData: SeedData, state: SeedState, index: number): unknown
}
