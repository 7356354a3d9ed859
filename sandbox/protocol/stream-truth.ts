import type { SeedData } from '../seed-data/seed-data.ts'
import type { Kind, SeedState } from '../seed-data/state.ts'

export type TruthRow = Readonly<Record<string, unknown>>

/** A row of the company in one stream: one row, several nested ones, or none. */
export interface StreamTruth {
  kind: Kind
  key: readonly string[]
  rows(
    seedData: SeedData,
    state: SeedState,
    where: { index: number; nowMs: number },
  ): readonly TruthRow[]
  /** Kinds that affect any row: if one of these changes, every row may change. */
  follows?: readonly Kind[]
  /** What the payload contains beside the row's columns: if it changes, the row has changed. */
  beside?(seedData: SeedData, state: SeedState, index: number): unknown
}
