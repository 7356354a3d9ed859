import type { ErasureDeps } from './erasing.ts'

export interface RestoreDeps extends ErasureDeps {
  /** The daily pools of the account with their limits; undefined where there is none. */
  pools: ReadonlyMap<string, number | undefined>
}
