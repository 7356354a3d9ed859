import type { SeedData } from '../seed-data/seed-data.ts'
import type { Kind, SeedState } from '../seed-data/state.ts'

export type TruthRow = Readonly<Record<string, unknown>>

/** The rows that a stream must contain for a row of the company: one, several nested ones, or none. */
export interface StreamTruth {
  kind: Kind
  key: readonly string[]
  rows(
    seedData: SeedData,
    state: SeedState,
    where: { index: number; nowMs: number },
  ): readonly TruthRow[]
  /** Kinds that every row depends on: if a row of such a kind changes, all rows may change. */
  follows?: readonly Kind[]
  /** Returns the rest of the payload, which has no columns. If it changes, the row has changed. */
  beside?(seedData: SeedData, state: SeedState, index: number): unknown
}
