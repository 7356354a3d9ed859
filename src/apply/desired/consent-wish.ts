import type { NumberName } from './find-numbers.ts'

/** The desired state of a consent policy: a complete list of numbers, or a sheet's additions and removals. */
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
    }
)
