import type { NumberName } from './find-numbers.ts'

/** What is wanted of a consent policy: a full list of numbers, or what a sheet added to it and dropped. */
export type ConsentWish = {
  consent_id?: string | undefined
  consent_name?: string | undefined
} & (
  | {
      /** Numbers as +14155550100, or their IDs. */
      numbers: readonly string[]
    }
  | {
      put: readonly NumberName[]
      /** IDs of numbers. */
      drop: readonly string[]
      /** From a workbook of which nobody knows what it showed. */
      unsure?: true
    }
)
